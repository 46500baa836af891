// Reduce-scatter in lanes: first, there is a reduce-scatter inside every node. Each rank then has
// its node's sums for the ranks of the same number on all nodes. These ranks are a lane, in which a
// second reduce-scatter follows. It is allgather/multi_lane in reverse. All ranks of a node
// communicate with other nodes at the same time.
// [traff2020]   r nodes of s ranks: rounds ⌈log2 s⌉ + ⌈log2 r⌉
//              cost (⌈log2 s⌉ + ⌈log2 r⌉)·α + (p-1)/p·n·(β + γ), of which 1/s between nodes
//
//   4 ranks on nodes 0 1 | 2 3   rank 0  1       rank 2  3
//     reduced inside             A.C.    .B.D    A.C.    .B.D
//     in the lanes               A...    .B..    ..C.    ...D
//
// Ranks are combined node by node, so their order is not kept.

#include "schedule/backwards.h"
#include "writing/allgather_backwards.h"
#include "writing/lanes.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce_scatter {

static const Algorithm& spreading() { return *find_algorithm(toccata::allgather, "multi_lane"); }

static Shape as_allgather(const Shape& shape) {
  return spreading().complete({.p = shape.p, .placement = shape.placement, .grid = shape.grid});
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Flat bruck(toccata::allgather, "bruck");
  const Lanes lanes(shape, 0);
  schedule.then(collecting(spreading().schedule(as_allgather(shape), rank),
                           lanes.rounds(bruck, bruck), rank, 1));
}

static std::optional<Cost> claim(const Shape& shape) {
  return AllgatherBackwards("multi_lane").claim(as_allgather(shape));
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::reduce_scatter,
    .summary = "reduce-scatter on each node, then among ranks with the same number on each node",
    .citation = "traff2020",
    .claim = claim,
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
