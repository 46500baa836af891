// Allreduce on a torus over as many trees as a node has links, no two of which use the same link. A
// segment goes down a tree as soon as it has reached the root, while others are on their way up.
// [edmonds1973]   rounds 2D + s - 1, depth D = d-N+1, d the sum of the N dimensions, all at least 3
//                 cost (2D + s - 1)·(α + n/(N·s)·β), with one rank per cell
//
// A link carries all segments of two trees: those of one upwards, and those of the other downwards.
// This is p/(p-1) times the lower bound. A tree combines ranks in any order.

#include "algorithms/forests.h"

namespace toccata::algorithms::allreduce {

extern const Algorithm torus_trees{
    .name = "torus_trees",
    .collective = toccata::allreduce,
    .summary = "up and down as many trees of a torus as a node has links; for long messages",
    .citation = "edmonds1973",
    .parameters = {TorusTrees::how_many(), OverForest::segments()},
    .by_placement = true,
    .by_grid = true,
    .parts = TorusTrees::parts,
    .impossible = TorusTrees::why_impossible,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { TorusTrees::over(shape).allreduce(schedule, rank); },
};

}  // namespace toccata::algorithms::allreduce
