// Allgather over spanning trees of the nodes, packed for the machine's network. The same number of
// trees begins at each node. A block is cut into segments, and these into pieces; each tree that
// begins at its node carries as many pieces of each segment as its weight. A node forwards a piece
// in the round after it arrived. All pieces between two nodes in one round are one message.
// [zhao2024, section 5]   D the depth of the trees   rounds D + s - 1
//
// A segment starts one round after the previous one. So each round has pieces at all depths, and
// loads the links evenly. With one segment, all trees are at the same depth, where they often share
// links.
//
// `toccata topo MACHINE --trees --save FILE` packs trees, also around dead and slow links;
// TOCCATA_TOPOLOGY=FILE makes the library use them. Without trees, or with several ranks on a node,
// every tree is a chain round all ranks, node by node, and blocks are whole:
//
//   4 ranks, chains of weight 1, rank 1    >2 b, <0 a    >2 a, <0 d    >2 d, <0 c    has a b c d

#include <map>

#include "writing/forests.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const PackedAllgather trees(shape);
  const Forest& forest = trees.forest();
  const int segments = trees.segments();
  // By round, the pieces to and from each peer, in the order of the trees.
  std::vector<std::map<int, BlockRanges>> out(forest.depth + segments), in = out;
  std::vector<int> given(shape.p);  // the pieces of a rank's segment that trees carry so far
  for (int tree = 0; tree < std::ssize(forest.roots); ++tree) {
    const TreePlace here = forest.place(tree, rank);
    const int root = forest.roots[tree], weight = forest.weights[tree];
    const int first = root * shape.parts + given[root];
    given[root] += weight;
    for (int segment = 0; segment < segments; ++segment) {
      const BlockRange blocks = recv(first + segment * trees.pieces(), weight);
      const int round = here.depth + segment;
      if (here.parent >= 0) append(in[round - 1][here.parent], blocks);
      for (const int child : here.children) append(out[round][child], blocks);
    }
  }
  schedule.round().copy(send(0, shape.parts), recv(rank * shape.parts, shape.parts));
  for (std::size_t round = 0; round < out.size(); ++round) {
    schedule.round();
    for (const auto& [peer, blocks] : out[round]) schedule.send(peer, blocks);
    for (const auto& [peer, blocks] : in[round]) schedule.recv(peer, blocks);
  }
}

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::allgather,
    .summary = "along trees computed for the machine's links, around dead ones; for long messages",
    .citation = "zhao2024, section 5",
    .claim = [](const Shape& shape) { return PackedAllgather(shape).claim(); },
    .parameters = {PackedAllgather::number_of_segments()},
    .by_placement = true,
    .by_trees = true,
    .parts = [](const Shape& shape) { return PackedAllgather(shape).parts(); },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
