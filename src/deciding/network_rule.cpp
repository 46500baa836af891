#include "deciding/network_rule.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "choices/shipped_rules.h"

namespace toccata {

namespace {

constexpr std::int64_t longest_sum = 64 << 10;    // bytes
constexpr std::int64_t at_once_from = 256 << 10;  // bytes
constexpr std::int64_t long_block = 1 << 20;  // bytes; its time between nodes is that of its bytes
constexpr int least_ranks_at_once = 8;
constexpr int most_ranks = 512;  // more: the ranking takes up to 40 ms, and nothing was simulated

std::vector<Choice> listed(RuleTable::Section section, const Collective& collective) {
  std::vector<Choice> choices;
  for (const std::string_view each : rules_for_any_mpi().list(section, collective))
    choices.push_back(parse_choice(collective, each));
  return choices;
}
std::vector<Choice> rivals_of(const Collective& collective) {
  return listed(RuleTable::Section::rivals, collective);
}

}  // namespace

bool network_rule_concerns(const Collective& collective, int p, std::int64_t bytes,
                           bool keeps_order) {
  return bytes >= 0 && p > 2 && p <= most_ranks && !rivals_of(collective).empty() &&
         (!keeps_order || bytes <= longest_sum);
}

bool network_rule_holds_at_once(const Collective& collective, int p, std::int64_t bytes,
                                bool keeps_order) {
  return bytes >= at_once_from && p >= least_ranks_at_once &&
         network_rule_concerns(collective, p, bytes, keeps_order);
}

std::shared_ptr<const Ranking> ranking_of_few(const Collective& collective, const Shape& known,
                                              const Model& model, bool published) {
  std::vector<Choice> choices = rivals_of(collective);
  std::ranges::copy(listed(RuleTable::Section::candidates, collective),
                    std::back_inserter(choices));
  return std::make_shared<const Ranking>(collective, choices, known, model, published);
}

std::optional<Ranking::Entry> network_rule(const Ranking& ranking, NetworkKind network,
                                           const Collective& collective, int p, SizeRange sizes) {
  if (rules_for_any_mpi().find(RuleTable::Section::unknown_rival, collective, p, sizes.most) !=
      RuleTable::least_regret)
    return {};
  return ranking.safest(network, std::array{sizes.least, sizes.most}, rivals_of(collective),
                        most_regret);
}

// Messages of vector forms are never published.
std::optional<Ranking::Entry> neighbor_rule(const Ranking& ranking, NetworkKind network,
                                            const Collective& collective, int p, std::int64_t bytes,
                                            const RuleTable* library) {
  if (library != nullptr &&
      library->find(RuleTable::Section::unknown_rival, collective, p, bytes) == "native")
    return {};
  const Choice rival = rivals_of(collective).front();
  std::optional<Ranking::Entry> best;
  double least = 1;
  for (const Choice& messages : listed(RuleTable::Section::candidates, collective)) {
    if (!ranking.seconds(messages, bytes)) continue;
    const Choice each = collective.vector_of != nullptr
                            ? messages
                            : ranking.published_if_faster(messages, bytes).choice;
    const auto ratio = ranking.ratio(each, rival, network, bytes);
    if (!ratio || ratio->most > least) continue;
    const bool gains_much = ratio->least * least_gain_among_neighbors <= 1;
    const bool gains_by_fewer_bytes =
        ratio->most * least_gain_by_fewer_bytes <= 1 &&
        ranking.ratio(each, rival, network, long_block)->least * least_gain_by_fewer_bytes <= 1;
    if (!gains_much && !gains_by_fewer_bytes) continue;
    best = Ranking::Entry{each, *ranking.seconds(each, bytes)};
    least = ratio->most;
  }
  return best;
}

std::optional<Ranking::Entry> network_rule(const Ranking& ranking, const OwnAlgorithm& own,
                                           SizeRange sizes) {
  const std::int64_t longest = std::max(sizes.least, sizes.most - 1);
  const std::optional<Choice> of_longest = own(longest);
  const auto best = of_longest ? ranking.surest_gain_over(*of_longest, longest) : std::nullopt;
  if (!best || best->gain < least_sure_gain) return {};
  Choice as_messages = best->choice;
  if (as_messages.travel == Travel::published) as_messages.travel = Travel::whole;
  const auto gain = [&](std::int64_t size) {
    const std::optional<Choice> replaced = own(size);
    return replaced ? ranking.sure_gain(as_messages, *replaced, size) : 0;
  };
  if (gain(sizes.least) < least_sure_gain || gain(sizes.most) < 1) return {};
  return Ranking::Entry{best->choice, best->seconds};
}

}  // namespace toccata
