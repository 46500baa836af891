// Reduce-scatter over spanning trees of the nodes, packed for the machine's network:
// allgather/forestcoll in reverse.
// [zhao2024, section 5]   D the depth of the trees   rounds D + s - 1

#include <algorithm>

#include "topology/placement.h"
#include "writing/allgather_backwards.h"
#include "writing/forests.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce_scatter {

static const Parameter segments = number_of_segments(
    "s: segments of each block, which follow each other along the trees", {1, 16});

static const Algorithm& spreading() { return *find_algorithm(toccata::allgather, "forestcoll"); }

// The number of rounds, including the round of copies with which the allgather begins.
static int rounds(const Shape& shape) {
  int deepest = shape.p - 1;
  if (has_packed_trees(shape)) {
    const std::vector<PackedTree>& trees = shape.placement->machine().trees()->allgather;
    if (!trees.empty() && trees.front().nodes() == shape.p)
      deepest =
          std::ranges::max(trees, {}, [](const PackedTree& each) { return each.depth(); }).depth() +
          shape.parameters[segments] - 1;
  }
  return deepest + 1;
}

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::reduce_scatter,
    .summary = "along trees computed for the machine's links, around dead ones; for long messages",
    .citation = "zhao2024, section 5",
    .parameters = {segments},
    .by_placement = true,
    .by_trees = true,
    .parts = [](const Shape& shape) { return spreading().parts(shape); },
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          AllgatherBackwards("forestcoll", rounds).write(shape, rank, schedule);
        },
};

}  // namespace toccata::algorithms::reduce_scatter
