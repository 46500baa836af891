#include "choices/native_algorithm.h"

#include <bit>

namespace toccata {

namespace {

// Open MPI's allgather by recursive doubling, and ours in a broadcast, need a power of two ranks;
// its neighbour exchange needs an even number.
std::string_view suited(std::string_view text, const Collective& collective, int p) {
  const bool is_power = std::has_single_bit(static_cast<unsigned>(p));
  if (&collective == &allgather && text == "recursive_doubling" && !is_power) return "bruck";
  if (text == "neighbor_exchange" && p % 2 != 0) return "ring";
  if (text == "scatter_allgather:allgather=recursive_doubling" && !is_power)
    return "scatter_allgather:allgather=ring";
  return text;
}

}  // namespace

std::optional<Choice> native_algorithm(const RuleTable* rules, Form form,
                                       const Collective& collective, int p, std::int64_t bytes) {
  if (rules == nullptr) return {};
  const auto section =
      form == Form::blocking ? RuleTable::Section::own : RuleTable::Section::own_requests;
  const std::string_view text = rules->find(section, collective, p, bytes);
  if (text.empty()) return {};
  return parse_choice(collective, suited(text, collective, p));
}

Ranking::Entry proposed(const Ranking& ranking, const RuleTable* rules,
                        const Collective& collective, int p, std::int64_t bytes) {
  const auto ours = ranking.at(bytes);
  const auto own = native_algorithm(rules, Form::blocking, collective, p, bytes);
  const auto price = own ? ranking.seconds(*own, bytes) : std::nullopt;
  if (ours.empty() || !price) return {};
  return least_predicted_gain * ours.front().seconds < *price ? ours.front()
                                                              : Ranking::Entry{{}, *price};
}

}  // namespace toccata
