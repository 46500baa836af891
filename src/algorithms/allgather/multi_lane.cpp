// Allgather in lanes: the ranks with the same number on their nodes form a lane, and exchange their
// blocks first. Then every node gathers the blocks that its lanes have received. All ranks
// communicate with other nodes at the same time, and every block enters a node once.
// [traff2020]   r nodes of s ranks: rounds ⌈log2 r⌉ + ⌈log2 s⌉
//               cost (⌈log2 r⌉ + ⌈log2 s⌉)·α + (p-1)/p·n·β, of which 1/s between nodes
//
//   4 ranks on nodes 0 1 | 2 3   rank 0  1       rank 2  3
//     lanes 0 2 and 1 3          A.C.    .B.D    A.C.    .B.D
//     gather on the nodes        ABCD    ABCD    ABCD    ABCD
//
// There are as many lanes as the largest node has ranks. On a smaller node, a rank is in several
// lanes. It contributes a block only to the first of them, but takes part in all.

#include "writing/lanes.h"

namespace toccata::algorithms::allgather {

static const Parameter exchange =
    choice("exchange", "allgather in each lane (one rank per node)",
           {"bruck", "sparbit", "recursive_doubling", "recursive_multiplying"});

static Flat in_lane(const Shape& shape) {
  return {toccata::allgather, exchange.words[shape.parameters[exchange]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes(shape, 0);
  lanes.in_lanes(
      schedule, rank, in_lane(shape),
      [&](int lane) { return BlockMap::affine(Buffer::send, 0, 1, lanes.is_for(lane, rank)); },
      [&](int lane) { return lanes.by_node(lane, Buffer::recv); });
  lanes.in_nodes(schedule, rank, {toccata::allgather, "bruck"},
                 lanes.carried_by(rank, Buffer::recv), lanes.carried_in_node(rank, Buffer::recv));
}

// All ranks have the same cost, and copy only their own block.
static std::optional<Cost> claim(const Shape& shape) {
  const Lanes lanes(shape, 0);
  if (!lanes.even()) return {};
  Cost cost = in_lane(shape).claim(lanes.nodes()) +
              lanes.claim_in_node({toccata::allgather, "bruck"}).of(lanes.nodes());
  cost.copied = 1;
  return cost;
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::allgather,
    .summary = "allgather among ranks with the same number on each node, then inside each node",
    .citation = "traff2020",
    .claim = claim,
    .parameters = {exchange},
    .by_placement = true,
    .impossible =
        [](const Shape& shape) {
          return std::string(in_lane(shape).why_impossible(Lanes(shape, 0).nodes()).empty()
                                 ? ""
                                 : "needs a power of two nodes for exchange=recursive_doubling");
        },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
