// Allreduce over spanning trees of the nodes, packed for the machine's network, so that its links
// are loaded as little as possible. Each tree carries a part of the message, in proportion to its
// weight, in segments that follow each other. Ranks of one node share the parts among themselves.
// [zhao2024, section 5]   D the depth of the trees   rounds 2D + s - 1
//
// `toccata topo MACHINE --trees --save FILE` packs trees, also around dead and slow links;
// TOCCATA_TOPOLOGY=FILE makes the library use them. Without them, there is one tree: a chain
// through the nodes. A tree combines ranks in any order, so their order is not kept.

#include "writing/forests.h"

namespace toccata::algorithms::allreduce {

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::allreduce,
    .summary = "up and down trees computed for the machine's links; for long messages",
    .citation = "zhao2024, section 5",
    .claim =
        [](const Shape& shape) {
          return PackedForest::over(shape, false).claim(shape.p, true, true);
        },
    .parameters = {OverForest::segments()},
    .by_placement = true,
    .by_trees = true,
    .parts = [](const Shape& shape) { return PackedForest::over(shape, false).parts(); },
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          PackedForest::over(shape, false).allreduce(schedule, rank);
        },
};

}  // namespace toccata::algorithms::allreduce
