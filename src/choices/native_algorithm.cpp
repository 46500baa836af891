#include "choices/native_algorithm.h"

#include <bit>

#include "topology/placements.h"

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

// The predicted seconds of an algorithm; nothing if it cannot run, as one of a site's rules.
std::optional<double> price(const Ranking& ranking, const Choice& choice, const Shape& known,
                            const Model& model, std::int64_t bytes) try {
  if (const auto ranked = ranking.seconds(choice, bytes)) return ranked;
  return Ranking(choice, known, model).seconds(choice, bytes);
} catch (const ChoiceError&) {
  return {};
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

std::optional<Choice> native_algorithm(const RuleTable* rules, const Collective& collective,
                                       const Spread& spread, std::int64_t bytes, int version) {
  if (rules != nullptr && spread.nodes > 1) {
    using Section = RuleTable::Section;
    const auto section = spread.nodes < spread.ranks ? Section::own_nodes : Section::own_apart;
    const std::string_view text = rules->find(section, collective, spread, bytes, version);
    if (!text.empty()) return parse_choice(collective, text);
  }
  return native_algorithm(rules, Form::blocking, collective, spread.ranks, bytes);
}

Spread spread_of(const Shape& shape) {
  Spread found{.ranks = shape.p};
  const int level = shape.placement == nullptr ? -1 : node_level(shape.placement->machine());
  if (level < 0) return found;
  const Regions& nodes = shape.placement->regions(level);
  found.nodes = nodes.number();
  found.even = nodes.even();
  return found;
}

Ranking::Entry proposed(const Ranking& ranking, const std::optional<Choice>& own,
                        const Shape& known, const Model& model, std::int64_t bytes) {
  const auto ours = ranking.at(bytes);
  const auto price = own ? toccata::price(ranking, *own, known, model, bytes) : std::nullopt;
  if (ours.empty() || !price) return {};
  return least_predicted_gain * ours.front().seconds < *price ? ours.front()
                                                              : Ranking::Entry{{}, *price};
}

}  // namespace toccata
