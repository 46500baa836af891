// Neighbour allgather by nodes: a block for many ranks of another node travels once, together with
// all other blocks from that node to the other.
// [bienz2019; collom2023]   rounds 3   between two nodes at most one message each way
//
//   4 ranks on nodes 0 1 | 2 3, edges 0>2, 0>3, 1>3, 0>1
//     to the sending rank          1 > 0   b
//     between the nodes            0 > 3   a b          0 > 1   a, which stays on the node
//     to ranks that need it        3 > 2   a

#include "writing/neighbors.h"

namespace toccata::algorithms::neighbor_allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  talk_by_nodes(shape, rank, Outgoing::one_for_all, schedule);
}

extern const Algorithm combining{
    .name = "combining",
    .collective = toccata::neighbor_allgather,
    .summary = "one message per pair of nodes, which contains each block once",
    .citation = "bienz2019",
    .claim =
        [](const Shape& shape) { return claim_of_talk_by_nodes(shape, Outgoing::one_for_all); },
    .blocks_alike = true,
    .by_placement = true,
    .impossible = why_not_by_nodes,
    .write = write,
};

}  // namespace toccata::algorithms::neighbor_allgather
