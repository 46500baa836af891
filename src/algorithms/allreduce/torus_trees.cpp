// Allreduce on a torus over as many trees as a node has links, no two of which use the same link. A
// segment goes down a tree as soon as it has reached the root, while others are on their way up.
// [edmonds1973]   rounds 2D + s - 1, depth D = d-N+1, or p-1 on a ring,
//                 d the sum of the N dimensions, all at least 3
//                 cost (2D + s - 1)·(α + n/(N·s)·β), with one rank per cell
//
// A link carries all segments of two trees: those of one upwards, and those of the other downwards.
// This is p/(p-1) times the lower bound. A tree combines ranks in any order.

#include "writing/forests.h"

namespace toccata::algorithms::allreduce {

// A rank that is not a neighbour of the root sends most, in both directions of every tree.
static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> depth = TorusTrees::known_depth(shape);
  if (!depth || shape.p == 3) return {};
  const int segments = shape.parameters[OverForest::segments()];
  return Cost{2 * *depth + segments - 1, 2 * std::int64_t{shape.parts},
              2 * std::int64_t{shape.parts}, shape.parts, shape.parts};
}

extern const Algorithm torus_trees{
    .name = "torus_trees",
    .collective = toccata::allreduce,
    .summary = "up and down as many trees of a torus as a node has links; for long messages",
    .citation = "edmonds1973",
    .claim = claim,
    .parameters = {TorusTrees::how_many(), OverForest::segments()},
    .by_placement = true,
    .by_grid = true,
    .parts = TorusTrees::parts,
    .impossible = TorusTrees::why_impossible,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { TorusTrees::over(shape).allreduce(schedule, rank); },
};

}  // namespace toccata::algorithms::allreduce
