#include "deciding/node_rule.h"

#include <algorithm>

#include "algorithms/registry.h"

namespace toccata {

namespace {

// Above these sizes, `shared` is faster than the native collectives of Open MPI 4.1 and MPICH 4.0
// (docs/performance/one-node.md). For shorter messages it depends on the MPI: trials decide there.
struct Threshold {
  const Collective* collective;
  std::int64_t bytes;
};
constexpr Threshold thresholds[] = {
    {&allreduce, 4 << 10}, {&reduce, 4 << 10}, {&reduce_scatter, 4 << 10}, {&scan, 4 << 10},
    {&exscan, 4 << 10},    {&bcast, 4 << 10},  {&allgather, 4 << 10},      {&alltoall, 4 << 10},
};

// Up to this size each rank reduces all of an allreduce itself, which saves a round.
constexpr std::int64_t whole_up_to = 8 << 10;

}  // namespace

std::optional<Choice> node_rule(const Collective& collective, int p, std::int64_t bytes) {
  const auto found = std::ranges::find(thresholds, &collective, &Threshold::collective);
  if (found == std::end(thresholds) || bytes < found->bytes) return {};
  const bool whole = &collective == &allreduce && bytes * (p - 1) <= whole_up_to;
  return parse_choice(collective, whole ? "shared:reducers=whole" : "shared");
}

}  // namespace toccata
