// All-to-all by nodes: ranks send their blocks to the leaders of their node. The leaders exchange
// these with the leaders of other nodes by any flat all-to-all, and deliver what they receive. If
// all ranks are leaders, no delivery is needed: this is the all-to-all in lanes.
// [traff2020; kandalla2009]   r nodes of s ranks, l leaders per node, exchange in pairs:
//               rounds 1 + (r-1) + 1   messages of a leader (s-1) + (r-1) + (s/l-1)
//
//   4 ranks on nodes 0 1 | 2 3, all leaders; bc is the block from b to c
//                                 rank 0 (a)         1 (b)              2 (c)         3 (d)
//     at first                    aa ab ac ad        ba bb bc bd        ca cb cc cd   ...
//     leader i of a node gets     aa ba | ac bc      ab bb | ad bd      ca da | cc dc
//     exchange with other nodes   aa ba ca da        ab bb cb db        ac bc cc dc   ...
//
// With all ranks as leaders, a radix of Bruck's algorithm shortens the first step to few rounds;
// with exchange=spread_out as well, this is ParLogNa, or TuNA by levels [fan2025]. Blocks must have
// the same size, because a rank does not have the sizes of the blocks that it forwards.

#include <algorithm>
#include <array>

#include "writing/leader_blocks.h"

namespace toccata::algorithms::alltoall {

static const Parameter leaders = [] {
  Parameter made = choice("leaders", "leaders per node, which exchange with other nodes",
                          {"all", "one", "two", "four", "eight"});
  made.samples = {0, 1, 2};
  return made;
}();
static const Parameter exchange =
    choice("exchange", "all-to-all among leaders", {"pairwise", "linear", "bruck", "spread_out"});
static const Parameter in_flight =
    number("in_flight", "messages that a leader sends at a time, with exchange=spread_out", 1, 1024,
           4, {2});
static const Parameter radix = number(
    "radix", "radix of Bruck's algorithm inside nodes, with leaders=all; 0: send all at once", 0,
    64, 0, {0, 3});
static Lanes by_leaders(const Shape& shape) {
  static constexpr std::array numbers{0, 1, 2, 4, 8};
  return {shape, numbers[shape.parameters[leaders]]};
}
static Flat between_nodes(const Shape& shape) {
  const int batch = shape.parameters.is(exchange, "spread_out") ? shape.parameters[in_flight] : 0;
  return {toccata::alltoall, exchange.words[shape.parameters[exchange]], batch};
}

static std::string why_impossible(const Shape& shape) {
  const bool even = by_leaders(shape).even(), all = shape.parameters.is(leaders, "all");
  if (shape.parameters.is(exchange, "bruck") && !even)
    return "needs the same number of ranks on every node for exchange=bruck";
  if (shape.parameters[radix] > 0 && !(all && even))
    return "needs leaders=all and the same number of ranks on every node for a radix above 0";
  return "";
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes = by_leaders(shape);
  const Flat between = between_nodes(shape), inside(toccata::alltoall, "linear");
  if (!lanes.divide()) return void(schedule.then(between.schedule(shape.p, rank)));
  const int base = std::min(shape.parameters[radix], lanes.number());
  const Flat handing = base < 2 ? inside : Flat(toccata::alltoall, "bruck_radix", base);
  ScheduleBuilder all;
  const LeaderBlocks blocks(lanes, rank, all);
  lanes.in_nodes(all, rank, handing, lanes.carried_in_node(rank, Buffer::send),
                 BlockMap::table(blocks.handed));
  lanes.in_lanes(
      all, rank, between, [&](int lane) { return blocks.out[lane]; },
      [&](int lane) { return blocks.in[lane]; });
  lanes.in_nodes(all, rank, inside, BlockMap::table(blocks.given), BlockMap::table(blocks.taken));
  Schedule packed = std::move(all).build();
  packed.set_travel(Travel::packed);  // both sides have different ranges
  schedule.then(std::move(packed));
}

// In lanes, a rank sends a block per node to each rank of its node, then a block per rank of its
// node to each other node. For leaders, and for Bruck in a step, no paper counts the copies.
static std::optional<Cost> claim(const Shape& shape) {
  const Lanes lanes = by_leaders(shape);
  const Cost between = between_nodes(shape).claim(lanes.nodes());
  if (!lanes.divide()) return between;
  const bool by_bruck = shape.parameters[radix] > 1 || shape.parameters.is(exchange, "bruck");
  if (!lanes.one_each() || by_bruck) return {};
  const Cost handing = lanes.claim_in_node({toccata::alltoall, "linear"});
  return handing.of(lanes.nodes()) + between.of(lanes.number());
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::alltoall,
    .summary = "leaders gather on each node, exchange among nodes, and scatter",
    .citation = "traff2020",
    .claim = claim,
    .parameters = {leaders, exchange, in_flight, radix},
    .blocks_alike = true,
    .by_placement = true,
    .impossible = why_impossible,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
