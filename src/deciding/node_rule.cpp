#include "deciding/node_rule.h"

#include <algorithm>
#include <span>

#include "algorithms/registry.h"
#include "selection/proved.h"
#include "selection/sized_choice.h"

namespace toccata {

namespace {

// The sizes, in bytes, for which `shared` is faster than the collectives of Open MPI 4.1 and
// MPICH 4.0 (docs/performance/one-node.md).
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
// Every rank reads the publications of all others. More ranks were not measured with short
// messages.
constexpr int most_ranks = 8;
constexpr std::int64_t short_below = 4 << 10;

// For ranks that share cores: one table for up to 4 ranks, and one for up to 8. More ranks were not
// measured. From `most` to `most_directly`, only if ranks read each other's memory directly.
struct CrowdedRange {
  const Collective* collective;
  std::int64_t least, most, most_directly;
};
constexpr int few_ranks = 4, most_crowded_ranks = 8;
constexpr CrowdedRange ranges_of_few[] = {
    {&allreduce, 1, 64 << 10, any},
    {&reduce, 1 << 10, 4 << 10, 4 << 10},
    {&reduce_scatter, 1, 256 << 10, any},
    {&scan, 1 << 10, 4 << 10, 4 << 10},
    {&exscan, 1 << 10, 4 << 10, 4 << 10},
    {&bcast, 1 << 10, 32 << 10, 1 << 20},
    {&allgather, 1, 256 << 10, any},
    {&alltoall, 1, 16 << 10, 16 << 10},
    {&gather, 256, 256 << 10, 256 << 10},
    {&scatter, 256, 16 << 10, 16 << 10},
    {&barrier, 0, 0, 0},
};
constexpr CrowdedRange ranges_of_more[] = {
    {&allreduce, 256, 64 << 10, any},
    {&reduce, 4 << 10, 16 << 10, 16 << 10},
    {&reduce_scatter, 1, 8 << 10, any},
    {&scan, 256, 2 << 10, 2 << 10},
    {&exscan, 256, 2 << 10, 2 << 10},
    {&bcast, 512, 32 << 10, 64 << 10},
    {&allgather, 1, 16 << 10, 64 << 10},
    {&alltoall, 1, 8 << 10, 64 << 10},
    {&gather, 128, 64 << 10, 64 << 10},
    {&scatter, 128, 8 << 10, 8 << 10},
    {&barrier, 0, 0, 0},
};

// Up to this size, one rank reduces the whole message (in an allreduce, every rank), which saves a
// round.
constexpr std::int64_t whole_up_to = 8 << 10;

bool is_faster(const Collective& collective, int p, std::int64_t bytes) {
  const auto* const range = std::ranges::find(ranges, &collective, &Range::collective);
  return range != std::end(ranges) && bytes >= range->least && bytes <= range->most &&
         (bytes >= short_below || p <= most_ranks);
}

bool is_faster_crowded(const Collective& collective, int p, bool directly, std::int64_t bytes) {
  if (p > most_crowded_ranks) return false;
  const std::span<const CrowdedRange> of_p = p <= few_ranks ? ranges_of_few : ranges_of_more;
  const auto range = std::ranges::find(of_p, &collective, &CrowdedRange::collective);
  return range != of_p.end() && bytes >= range->least &&
         bytes <= (directly ? range->most_directly : range->most);
}

}  // namespace

std::optional<Choice> node_rule(const Collective& collective, int p, const NodeKind& node,
                                std::int64_t bytes) {
  if (node.crowded ? !is_faster_crowded(collective, p, node.reads_directly, bytes)
                   : !is_faster(collective, p, bytes))
    return {};
  const bool whole =
      (&collective == &allreduce || &collective == &reduce) && bytes * (p - 1) <= whole_up_to;
  const Choice choice = parse_choice(collective, whole ? "shared:reducers=whole" : "shared");
  if (!is_proved(*choice.algorithm)) return {};
  return choice;
}

bool node_rule_holds_at_once(const NodeKind& node, std::int64_t bytes) {
  return !node.crowded && bytes >= short_below;
}

}  // namespace toccata
