// Neighbour all-to-all by nodes: all blocks from one node to another travel in one message.
// [bienz2019; collom2023]   rounds 3   between two nodes at most one message each way
//
//   4 ranks on nodes 0 1 | 2 3, edges 0>2, 0>3, 1>3, 0>1; the block from a to c is ac
//     to the sending rank          1 > 0   bd
//     between the nodes            0 > 3   ac ad bd     0 > 1   ab, which stays on the node
//     to the destinations          3 > 2   ac

#include "writing/neighbors.h"

namespace toccata::algorithms::neighbor_alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  talk_by_nodes(shape, rank, Outgoing::one_each, schedule);
}

extern const Algorithm combining{
    .name = "combining",
    .collective = toccata::neighbor_alltoall,
    .summary = "one message per pair of nodes, for all their ranks",
    .citation = "bienz2019",
    .claim = [](const Shape& shape) { return claim_of_talk_by_nodes(shape, Outgoing::one_each); },
    .blocks_alike = true,
    .by_placement = true,
    .impossible = why_not_by_nodes,
    .write = write,
};

}  // namespace toccata::algorithms::neighbor_alltoall
