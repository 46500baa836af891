// Broadcast in lanes: the root scatters the message over the ranks of its node. Each of these
// broadcasts its part to the ranks of the same number on other nodes. Then every node gathers the
// parts, and no rank sends to the root. All ranks of a node communicate with other nodes at the
// same time.
// [traff2020]   r nodes of s ranks   cost 2·(s-1)/s·n·β inside, and 1/s of a broadcast among r
//
//   4 ranks on nodes 0 1 | 2 3, root 0, parts A B
//     inside the root's node  0>1 B      lanes  0>2 A  1>3 B      inside  0-1  2-3

#include "schedule/combinators.h"
#include "writing/lanes.h"

namespace toccata::algorithms::bcast {

static const Parameter between =
    choice("between", "algorithm in each lane (one rank per node): bcast/...",
           {"binomial", "pipeline", "scatter_allgather"});
static const Parameter segments =
    number_of_segments("segments, which follow each other in each lane", {1, 3}, 1);

static Flat in_lane(const Shape& shape) {
  return {toccata::bcast, between.words[shape.parameters[between]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
  const int width = shape.parts / lanes.number();
  const BlockMap all = lanes.carried_in_node(rank, Buffer::recv, width);
  const BlockMap own = lanes.carried_by(rank, Buffer::recv, width);
  ScheduleBuilder whole;
  lanes.in_nodes(whole, rank, {toccata::scatter, "binomial"}, all, own, Lanes::Nodes::the_roots);
  lanes.in_lanes(whole, rank, in_lane(shape), width, shape.parameters[segments]);
  lanes.in_nodes(whole, rank, {toccata::allgather, "bruck"}, own, all);
  schedule.then(without_messages_to(shape.root, rank, std::move(whole).build()));
}

// The root sends most in every step. All blocks are received in their places.
static std::optional<Cost> claim(const Shape& shape) {
  const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
  if (!lanes.one_each() || shape.parameters[segments] > 1) return {};
  const int width = shape.parts / lanes.number();
  Cost cost = lanes.claim_in_node({toccata::scatter, "binomial"}).of(width) +
              in_lane(shape).claim(lanes.nodes()) +
              lanes.claim_in_node({toccata::allgather, "bruck"}).of(width);
  cost.copied = 0;
  return cost;
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::bcast,
    .summary = "scatter on the root's node, broadcast in each lane, allgather; for long messages",
    .citation = "traff2020",
    .claim = claim,
    .parameters = {Lanes::how_many(), between, segments},
    .by_placement = true,
    .parts =
        [](const Shape& shape) {
          const Lanes lanes(shape, shape.parameters[Lanes::how_many()]);
          return lanes.number() * in_lane(shape).parts(lanes.nodes()) * shape.parameters[segments];
        },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
