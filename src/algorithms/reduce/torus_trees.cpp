// Reduce on a torus over as many trees as a node has links, no two of which use the same link. It
// is bcast/torus_trees in reverse. Ranks of one cell reduce among themselves first.
// [edmonds1973]   rounds D + s - 1, depth D = d-N+1, or p-1 on a ring,
//                 d the sum of the N dimensions, all at least 3
//                 cost (D + s - 1)·(α + n/(2N·s)·β) + n·γ·(children of a rank), one rank per cell
//
// A tree combines ranks in any order, so their order is not kept.

#include "writing/forests.h"

namespace toccata::algorithms::reduce {

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> depth = TorusTrees::known_depth(shape);
  if (!depth) return {};
  const int segments = shape.parameters[OverForest::segments()];
  return Cost{*depth + segments - 1, shape.parts, shape.parts, shape.parts, shape.parts};
}

extern const Algorithm torus_trees{
    .name = "torus_trees",
    .collective = toccata::reduce,
    .summary =
        "along as many trees of a torus as a node has links; no shared links; for long messages",
    .citation = "edmonds1973",
    .claim = claim,
    .parameters = {TorusTrees::how_many(), OverForest::segments()},
    .by_placement = true,
    .by_grid = true,
    .parts = TorusTrees::parts,
    .impossible = TorusTrees::why_impossible,
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          TorusTrees::over(shape).reduce(schedule, rank, rank == shape.root);
        },
};

}  // namespace toccata::algorithms::reduce
