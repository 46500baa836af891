#include "deciding/node_rule.h"

#include <algorithm>

#include "algorithms/registry.h"
#include "selection/proved.h"
#include "selection/sized_choice.h"

namespace toccata {

namespace {

// At which sizes `shared` is faster than the own collectives of Open MPI 4.1 and MPICH 4.0
// (docs/performance/one-node.md), in bytes.
struct Range {
  const Collective* collective;
  std::int64_t least, most;
};
constexpr std::int64_t any = SizedChoice::most_bytes;

// With a core for each rank.
constexpr Range ranges[] = {
    {&allreduce, 0, any}, {&reduce, 0, any},  {&reduce_scatter, 0, any}, {&scan, 0, any},
    {&exscan, 0, any},    {&bcast, 0, any},   {&allgather, 0, any},      {&alltoall, 0, any},
    {&gather, 0, any},    {&scatter, 0, any}, {&barrier, 0, any},
};
// All ranks read what all others publish; more ranks were not measured with short messages.
constexpr int most_ranks = 8;
constexpr std::int64_t short_below = 4 << 10;

// With ranks that share cores; more than 4 were not measured.
constexpr int most_crowded_ranks = 4;
constexpr Range crowded_ranges[] = {
    {&allreduce, 1, 64 << 10},
    {&reduce, 1 << 10, 4 << 10},
    {&reduce_scatter, 1, 256 << 10},
    {&scan, 1 << 10, 4 << 10},
    {&exscan, 1 << 10, 4 << 10},
    {&bcast, 1 << 10, 1 << 20},
    {&allgather, 1, 256 << 10},
    {&alltoall, 1, 16 << 10},
    {&gather, 256, 256 << 10},
    {&scatter, 256, 16 << 10},
    {&barrier, 0, 0},
};

// Up to this size, one rank reduces the whole message (in an allreduce, every rank), which saves a
// round.
constexpr std::int64_t whole_up_to = 8 << 10;

}  // namespace

std::optional<Choice> node_rule(const Collective& collective, int p, bool crowded,
                                std::int64_t bytes) {
  const auto find = [&](const auto& table) -> const Range* {
    const auto found = std::ranges::find(table, &collective, &Range::collective);
    return found == std::end(table) ? nullptr : found;
  };
  const Range* const range = crowded ? find(crowded_ranges) : find(ranges);
  if (range == nullptr || bytes < range->least || bytes > range->most) return {};
  if (crowded ? p > most_crowded_ranks : bytes < short_below && p > most_ranks) return {};
  const bool whole =
      (&collective == &allreduce || &collective == &reduce) && bytes * (p - 1) <= whole_up_to;
  const Choice choice = parse_choice(collective, whole ? "shared:reducers=whole" : "shared");
  if (!is_proved(*choice.algorithm)) return {};
  return choice;
}

bool node_rule_holds_at_once(bool crowded, std::int64_t bytes) {
  return !crowded && bytes >= 4 << 10;
}

}  // namespace toccata
