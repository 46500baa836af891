// All-to-all by nodes: ranks send their blocks to the leaders of their node. The leaders exchange
// these with the leaders of other nodes by any flat all-to-all, and deliver the received blocks to
// the destinations. If all ranks are leaders, no delivery is needed: this is the all-to-all in
// lanes.
// [traff2020; kandalla2009]   r nodes of s ranks, l leaders per node, exchange in pairs:
//               rounds 1 + (r-1) + 1   messages of a leader (s-1) + (r-1) + (s/l-1)
//
//   4 ranks on nodes 0 1 | 2 3, all leaders; bc is the block from b to c
//                                 rank 0 (a)         1 (b)              2 (c)         3 (d)
//     at first                    aa ab ac ad        ba bb bc bd        ca cb cc cd   ...
//     leader i gets blocks for    aa ba | ac bc      ab bb | ad bd      ca da | cc dc
//     the i-th rank of each node
//     exchange with other nodes   aa ba ca da        ab bb cb db        ac bc cc dc   ...
//
// Leader i serves the ranks with the numbers i, i + l, i + 2l, ... on their node. On a node with
// fewer ranks than leaders, one rank plays several leaders, and these deliver to no other rank.
//
// Blocks must have the same size, because a rank does not have the sizes of the blocks that it
// forwards.

#include <algorithm>
#include <array>

#include "writing/lanes.h"

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
// If all ranks are leaders, ranks hand over their blocks inside the node by Bruck's algorithm with
// this radix, so there are few rounds. Any exchange among nodes follows. With exchange=spread_out,
// this is ParLogNa, also called TuNA by levels [fan2025]: one message to each node, `in_flight` of
// them at a time.
static const Parameter radix = number(
    "radix", "radix of Bruck's algorithm inside nodes, with leaders=all; 0: send all at once", 0,
    64, 0, {0, 3});

static Lanes by_leaders(const Shape& shape) {
  static constexpr std::array numbers{0, 1, 2, 4, 8};
  return {shape, numbers[shape.parameters[leaders]]};
}

static Flat between_nodes(const Shape& shape) {
  const bool in_batches = shape.parameters.is(exchange, "spread_out");
  return {toccata::alltoall, exchange.words[shape.parameters[exchange]],
          in_batches ? shape.parameters[in_flight] : 0};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes = by_leaders(shape);
  const Flat between = between_nodes(shape);
  const Flat inside(toccata::alltoall, "linear");
  const int base = std::min(shape.parameters[radix], lanes.number());
  const Flat handing = base < 2 ? inside : Flat(toccata::alltoall, "bruck_radix", base);
  if (!lanes.divide()) {
    schedule.then(between.schedule(shape.p, rank));
    return;
  }
  const int here = lanes.node(rank), size = lanes.size(here), own = lanes.place(rank);
  ScheduleBuilder all;
  const auto some = [&](int blocks) {  // all have the size of block 0
    return all.scratch({{Buffer::recv, 0, 1, 0, blocks}}).first;
  };

  // By place on the node: the blocks that each rank hands to the lanes of this rank, and the blocks
  // that this rank delivers and that are delivered to it.
  std::vector<BlockRanges> handed(size), given(size), taken(size);
  // By lane: the outgoing blocks, by node, destination and source; and the incoming ones, in their
  // final places if they are for this rank.
  std::vector<BlockMap> out(lanes.number(), BlockMap::table()), in = out;
  for (int lane = own; lane < lanes.number(); lane += size) {
    const int destinations = lanes.served(lane), others = lanes.served(lane, here) - 1;
    int going = some(destinations * size), coming = some(std::max(0, others) * shape.p);
    for (int i = 0; i < size; ++i)
      append(handed[i], {Buffer::scratch, going + i, 1, size, destinations});
    for (int node = 0; node < lanes.nodes(); ++node) {
      const BlockRange there{Buffer::scratch, going, lanes.served(lane, node) * size};
      going += there.count;
      out[lane].add(there);
      BlockRanges back = others < 0 ? BlockRanges{} : lanes.of_node(node);
      for (int i = 1; i <= others; ++i, coming += lanes.size(node)) {
        append(back, {Buffer::scratch, coming, lanes.size(node)});
        append(given[own + i * lanes.number()], {Buffer::scratch, coming, lanes.size(node)});
      }
      in[lane].add(back);
    }
  }
  if (own >= lanes.number())
    for (int node = 0; node < lanes.nodes(); ++node)
      for (const BlockRange& each : lanes.of_node(node)) append(taken[own % lanes.number()], each);

  lanes.in_nodes(all, rank, handing, lanes.carried_in_node(rank, Buffer::send),
                 BlockMap::table(handed));
  lanes.in_lanes(
      all, rank, between, [&](int lane) { return out[lane]; }, [&](int lane) { return in[lane]; });
  lanes.in_nodes(all, rank, inside, BlockMap::table(given), BlockMap::table(taken));

  // Messages are packed, because sender and receiver have the blocks in different ranges.
  Schedule packed = std::move(all).build();
  packed.set_travel(Travel::packed);
  schedule.then(std::move(packed));
}

// In lanes, a rank sends a block per node to each rank of its node, then a block per rank of its
// node to each other node. It copies those for itself. For leaders, and for Bruck's algorithm in a
// step, no paper counts the copies.
static std::optional<Cost> claim(const Shape& shape) {
  const Lanes lanes = by_leaders(shape);
  const Cost between = between_nodes(shape).claim(lanes.nodes());
  if (!lanes.divide()) return between;
  if (!lanes.one_each() || shape.parameters[radix] > 1 || shape.parameters.is(exchange, "bruck"))
    return {};
  return lanes.claim_in_node({toccata::alltoall, "linear"}).of(lanes.nodes()) +
         between.of(lanes.number());
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
    .impossible =
        [](const Shape& shape) {
          const bool even = by_leaders(shape).even();
          if (shape.parameters.is(exchange, "bruck") && !even)
            return std::string("needs the same number of ranks on every node for exchange=bruck");
          if (shape.parameters[radix] > 0 && (!shape.parameters.is(leaders, "all") || !even))
            return std::string(
                "needs leaders=all and the same number of ranks on every node for a radix above 0");
          return std::string();
        },
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
