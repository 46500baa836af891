// Allreduce in lanes: every node reduces and scatters the message over its ranks. Each rank then
// takes part in an allreduce of its part, with the ranks of the same number on other nodes. At the
// end, every node gathers the parts. All ranks of a node communicate with other nodes at the same
// time.
// [traff2020]   r nodes of s ranks   cost 2·(s-1)/s·n·β inside, and 1/s of an allreduce among r
//
//   4 ranks on nodes 0 1 | 2 3, parts A B
//     inside  0-1  2-3      lanes  0-2 A  1-3 B      inside  0-1  2-3
//
// Ranks are combined node by node, so their order is not kept.

#include "writing/lanes.h"

namespace toccata::algorithms::allreduce {

static const Parameter between =
    choice("between", "algorithm in each lane (one rank per node): allreduce/...",
           {"recursive_doubling", "ring", "rabenseifner", "recursive_multiplying"});

static const Parameter inside =
    choice("inside", "algorithm on each node: reduce_scatter/...", {"recursive_halving", "ring"});

static Flat in_lane(const Shape& shape) {
  return {toccata::allreduce, between.words[shape.parameters[between]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
  const int width = shape.parts / lanes.number();
  const BlockMap own = lanes.carried_by(rank, Buffer::recv, width);
  lanes.in_nodes(schedule, rank, {toccata::reduce_scatter, inside.words[shape.parameters[inside]]},
                 lanes.carried_in_node(rank, Buffer::send, width), own);
  lanes.in_lanes(schedule, rank, in_lane(shape), width);
  lanes.in_nodes(schedule, rank, {toccata::allgather, "bruck"}, own,
                 lanes.carried_in_node(rank, Buffer::recv, width));
}

// Every place of a node meets every node once, so one rank has the most of all steps.
static std::optional<Cost> claim(const Shape& shape) {
  const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
  const std::optional<Cost> exchange =
      in_lane(shape).claim_of_allreduce(lanes.nodes(), lanes.divide());
  if (!lanes.divide()) return exchange;
  if (!lanes.one_each() || !exchange) return {};
  const int width = shape.parts / lanes.number();
  Cost gathering = lanes.claim_in_node({toccata::allgather, "bruck"}).of(width);
  gathering.copied = 0;
  return lanes.claim_in_node({toccata::reduce_scatter, inside.words[shape.parameters[inside]]})
             .of(width) +
         *exchange + gathering;
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter on each node, allreduce in each lane, allgather; for long messages",
    .citation = "traff2020",
    .claim = claim,
    .parameters = {Lanes::how_many(), between, inside},
    .by_placement = true,
    .parts =
        [](const Shape& shape) {
          const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
          return lanes.number() * in_lane(shape).parts(lanes.nodes());
        },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
