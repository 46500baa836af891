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
// every block goes round a ring of all ranks, node by node: every tree is a chain.

#include <algorithm>
#include <map>

#include "patterns/arithmetic.h"
#include "topology/division.h"
#include "topology/placement.h"
#include "topology/placements.h"
#include "writing/forests.h"

namespace toccata::algorithms::allgather {

static const Parameter segments = number_of_segments(
    "s: segments of each block, which follow each other along the trees", {1, 16});

// Null if no trees fit these ranks.
static const std::vector<PackedTree>* trees_of(const Shape& shape) {
  if (!has_packed_trees(shape)) return nullptr;
  const Machine& machine = shape.placement->machine();
  const bool fit = shape.p == machine.objects(node_level(machine));
  return fit && !machine.trees()->allgather.empty() ? &machine.trees()->allgather : nullptr;
}

static int node_of(const Shape& shape, int rank) {
  const Machine& machine = shape.placement->machine();
  const Place& place = shape.placement->place(rank);
  return machine.ancestor(place.level, place.object, node_level(machine));
}

// The number of pieces of a segment.
static int pieces_of(const std::vector<PackedTree>& trees) {
  int pieces = 0;
  for (const PackedTree& each : trees)
    if (each.root() == 0) pieces += each.weight();
  return pieces;
}

static int parts(const Shape& shape) {
  const std::vector<PackedTree>* const trees = trees_of(shape);
  return trees == nullptr ? 1 : pieces_of(*trees) * shape.parameters[segments];
}

static void write_ring(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const auto regions = node_regions(shape.placement, shape.p);
  const auto next = [&](int from) {
    const auto members = regions->members(regions->of(from));
    const std::size_t place = regions->local(from) + 1;
    return place < members.size()
               ? members[place]
               : regions->members(wrap(regions->of(from) + 1, regions->number())).front();
  };
  const auto previous = [&](int from) {
    if (const int place = regions->local(from); place > 0)
      return regions->members(regions->of(from))[place - 1];
    return regions->members(wrap(regions->of(from) - 1, regions->number())).back();
  };
  const int to = next(rank), from = previous(rank);
  schedule.round().copy(send(0), recv(rank));
  int passed = rank;
  for (int i = 1; i < shape.p; ++i) {
    const int comes = previous(passed);
    schedule.round().send(to, recv(passed)).recv(from, recv(comes));
    passed = comes;
  }
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const std::vector<PackedTree>* const trees = trees_of(shape);
  if (trees == nullptr) return write_ring(shape, rank, schedule);
  const int own = node_of(shape, rank);
  std::vector<int> rank_at(shape.p);
  for (int each = 0; each < shape.p; ++each) rank_at[node_of(shape, each)] = each;
  // By round, the pieces to and from each peer, in the order of the trees.
  struct Exchange {
    std::map<int, BlockRanges> sends, recvs;
  };
  std::vector<Exchange> rounds;
  std::vector<int> given(shape.p);  // by node: its pieces of a segment that trees have so far
  const int count = shape.parameters[segments], pieces_of_segment = shape.parts / count;
  for (const PackedTree& tree : *trees) {
    const int first = rank_at[tree.root()] * shape.parts + given[tree.root()];
    given[tree.root()] += tree.weight();
    rounds.resize(std::max<std::size_t>(rounds.size(), tree.depth() + count - 1));
    const int depth = tree.depth(own);
    std::vector<int> children;
    for (int node = 0; node < tree.nodes(); ++node)
      if (tree.parent(node) == own) children.push_back(rank_at[node]);
    for (int segment = 0; segment < count; ++segment) {
      const BlockRange pieces = recv(first + segment * pieces_of_segment, tree.weight());
      if (depth > 0) append(rounds[depth - 1 + segment].recvs[rank_at[tree.parent(own)]], pieces);
      for (const int child : children) append(rounds[depth + segment].sends[child], pieces);
    }
  }
  schedule.round().copy(send(0, shape.parts), recv(rank * shape.parts, shape.parts));
  for (const Exchange& each : rounds) {
    schedule.round();
    for (const auto& [peer, blocks] : each.sends) schedule.send(peer, blocks);
    for (const auto& [peer, blocks] : each.recvs) schedule.recv(peer, blocks);
  }
}

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::allgather,
    .summary = "along trees computed for the machine's links, around dead ones; for long messages",
    .citation = "zhao2024, section 5",
    .parameters = {segments},
    .by_placement = true,
    .by_trees = true,
    .parts = parts,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
