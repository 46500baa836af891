// Broadcast over spanning trees of the nodes, packed for the machine's network, so that its links
// are loaded as little as possible. Each tree carries a part of the message, in proportion to its
// weight, in segments that follow each other. Ranks of one node share the parts among themselves.
// [zhao2024, section 5]   D the depth of the trees   rounds D + s - 1
//
// `toccata topo MACHINE --trees --save FILE` packs trees, also around dead and slow links;
// TOCCATA_TOPOLOGY=FILE makes the library use them. Without them, there is one tree: a chain
// through the nodes.

#include "writing/forests.h"

namespace toccata::algorithms::bcast {

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::bcast,
    .summary = "along trees computed for the machine's links, around dead ones; for long messages",
    .citation = "zhao2024, section 5",
    .claim =
        [](const Shape& shape) {
          return PackedForest::over(shape, true).claim(shape.p, false, true);
        },
    .parameters = {OverForest::segments()},
    .by_placement = true,
    .by_trees = true,
    .parts = [](const Shape& shape) { return PackedForest::over(shape, true).parts(); },
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          PackedForest::over(shape, true).bcast(schedule, rank);
        },
};

}  // namespace toccata::algorithms::bcast
