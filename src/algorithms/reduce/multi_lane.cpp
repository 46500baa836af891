// Reduce in lanes: every node reduces and scatters the message over its ranks. Then the ranks of
// the same number reduce their part to the one on the root's node. There, the root gathers the
// parts. All ranks of a node communicate with other nodes at the same time.
// [traff2020]   r nodes of s ranks   cost 2·(s-1)/s·n·β inside, and 1/s of a reduction among r
//
//   4 ranks on nodes 0 1 | 2 3, root 0, parts A B
//     inside  0-1  2-3      lanes  2>0 A  3>1 B      inside the root's node  1>0 B
//
// Ranks are combined node by node, so their order is not kept.

#include "writing/lanes.h"

namespace toccata::algorithms::reduce {

static const Parameter between =
    choice("between", "algorithm in each lane (one rank per node): reduce/...",
           {"binomial", "reduce_scatter_gather", "pipeline"});
static const Parameter segments =
    number_of_segments("segments, which follow each other in each lane", {1, 3}, 1);

static const Parameter inside =
    choice("inside", "algorithm on each node: reduce_scatter/...", {"recursive_halving", "ring"});

static Flat in_lane(const Shape& shape) {
  return {toccata::reduce, between.words[shape.parameters[between]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
  const int width = shape.parts / lanes.number();
  const BlockMap own = lanes.carried_by(rank, Buffer::recv, width);
  ScheduleBuilder all;
  lanes.in_nodes(all, rank, {toccata::reduce_scatter, inside.words[shape.parameters[inside]]},
                 lanes.carried_in_node(rank, Buffer::send, width), own);
  lanes.in_lanes(all, rank, in_lane(shape), width, shape.parameters[segments]);
  lanes.in_nodes(all, rank, {toccata::gather, "binomial"}, own,
                 lanes.carried_in_node(rank, Buffer::recv, width), Lanes::Nodes::the_roots);
  const Schedule up = std::move(all).build();
  schedule.then(rank == shape.root ? up : in_scratch(up, BlockMap::affine(Buffer::send, 0)));
}

// If nodes divide the ranks, different ranks have the most messages in different steps.
static std::optional<Cost> claim(const Shape& shape) {
  if (Lanes(shape, 1).divide() || shape.parameters[segments] > 1) return {};
  return in_lane(shape).claim(shape.p);
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::reduce,
    .summary = "reduce-scatter on each node, reduce in each lane, gather; for long messages",
    .citation = "traff2020",
    .claim = claim,
    .parameters = {Lanes::how_many(), between, inside, segments},
    .by_placement = true,
    .parts =
        [](const Shape& shape) {
          const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
          return lanes.number() * in_lane(shape).parts(lanes.nodes()) * shape.parameters[segments];
        },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
