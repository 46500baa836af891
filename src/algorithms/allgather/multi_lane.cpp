// Allgather in lanes: the ranks with the same number on their nodes are a lane, and exchange their
// blocks first; then every node gathers what its lanes have brought. All ranks talk to other nodes
// at a time, and what a node gets comes in once.
// [traff2020]   r nodes of s ranks: rounds ⌈log2 r⌉ + ⌈log2 s⌉
// cost (⌈log2 r⌉ + ⌈log2 s⌉)·α + (p-1)/p·n·β, of which 1/s between nodes
//
//   4 ranks on nodes 0 1 | 2 3   rank 0  1       rank 2  3
//     lanes 0 2 and 1 3          A.C.    .B.D    A.C.    .B.D
//     gather on the nodes        ABCD    ABCD    ABCD    ABCD
//
// There are as many lanes as the largest node has ranks. On a smaller node a rank is in several; it
// has a block for the first of them alone, but takes part in all.

#include "algorithms/flat.h"
#include "schedule/combinators.h"
#include "topology/division.h"

namespace toccata::algorithms::allgather {

static const Parameter exchange =
    choice("exchange", "the allgather in each lane", {"bruck", "sparbit", "recursive_doubling"});

namespace {

struct Lanes {
  std::shared_ptr<const Regions> shared;
  const Regions& nodes = *shared;
  Flat between;
  Flat inside{toccata::allgather, "bruck"};

  explicit Lanes(const Shape& shape)
      : shared(node_regions(shape.placement, shape.p)),
        between(toccata::allgather, exchange.words[shape.parameters[exchange]]) {}

  int number() const { return nodes.largest(); }
  // The rank of a node that takes part in a lane, and whether its block is the lane's.
  int rank(int lane, int node) const { return nodes.members(node)[lane % nodes.size(node)]; }
  bool has_block(int lane, int node) const { return lane < nodes.size(node); }

  // Node by node: the rank that takes part, its block.
  std::vector<int> ranks(int lane) const {
    std::vector<int> result;
    for (int node = 0; node < nodes.number(); ++node) result.push_back(rank(lane, node));
    return result;
  }
  // The lane's blocks, in the order of the nodes; and each node's as a block of its own.
  BlockRanges blocks(int lane) const {
    if (regular()) return {{Buffer::recv, lane, 1, number(), nodes.number()}};
    BlockRanges result;
    for (int node = 0; node < nodes.number(); ++node)
      if (has_block(lane, node)) append(result, recv(rank(lane, node)));
    return result;
  }
  BlockMap map(int lane) const {
    if (regular()) return BlockMap::affine(Buffer::recv, lane, number());
    std::vector<BlockRanges> table(nodes.number());
    for (int node = 0; node < nodes.number(); ++node)
      if (has_block(lane, node)) table[node] = {recv(rank(lane, node))};
    return BlockMap::table(table);
  }
  bool regular() const { return nodes.even() && nodes.consecutive(); }
};

}  // namespace

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Lanes lanes(shape);
  const int node = lanes.nodes.of(rank);
  const auto members = lanes.nodes.members(node);
  const auto size = static_cast<int>(members.size());
  const int local = lanes.nodes.local(rank);

  const Schedule between = lanes.between.schedule(lanes.nodes.number(), node);
  std::vector<Schedule> own;                         // in each lane that this rank is in
  std::vector<BlockRanges> brought(members.size());  // by each rank of the node
  for (int lane = 0; lane < lanes.number(); ++lane) {
    for (const BlockRange& range : lanes.blocks(lane)) append(brought[lane % size], range);
    if (lane % size != local) continue;
    const BlockMap send =
        BlockMap::table({lane == local ? BlockRanges{toccata::send(0)} : BlockRanges{}});
    own.push_back(on(lanes.ranks(lane), between, send, lanes.map(lane)));
  }
  const BlockMap send = BlockMap::table({brought[local]});
  schedule.then(abreast(own), lanes.between.rounds(lanes.nodes.number()));
  schedule.then(on(members, lanes.inside.schedule(size, local), send, BlockMap::table(brought)));
}

extern const Algorithm multi_lane{
    .name = "multi_lane",
    .collective = toccata::allgather,
    .summary = "exchange of the ranks with the same number on each node, then on the nodes",
    .citation = "traff2020",
    .parameters = {exchange},
    .by_placement = true,
    .impossible =
        [](const Shape& shape) {
          const Lanes lanes(shape);
          return std::string(lanes.between.why_impossible(lanes.nodes.number()).empty()
                                 ? ""
                                 : "needs a power of two nodes for exchange=recursive_doubling");
        },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
