// Allgather over spanning trees of the nodes, packed for the machine's network. The same number of
// trees begins at each node. A block is cut into pieces; each tree that begins at its node carries
// as many of them as its weight. A node forwards a piece in the round after it arrived. All pieces
// between two nodes in one round are one message.
// [zhao2024, section 5]   rounds D, the depth of the trees
//
// `toccata topo MACHINE --trees --save FILE` packs trees, also around dead and slow links;
// TOCCATA_TOPOLOGY=FILE makes the library use them. Without trees, or with several ranks on a node,
// every block goes round a ring of all ranks, node by node: every tree is a chain.

#include <algorithm>
#include <map>

#include "algorithms/forests.h"
#include "patterns/arithmetic.h"
#include "topology/division.h"
#include "topology/placement.h"
#include "topology/placements.h"

namespace toccata::algorithms::allgather {

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

static int parts(const Shape& shape) {
  const std::vector<PackedTree>* const trees = trees_of(shape);
  if (trees == nullptr) return 1;
  int pieces = 0;
  for (const PackedTree& each : *trees)
    if (each.root() == 0) pieces += each.weight();
  return pieces;
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
  std::vector<int> given(shape.p);  // by node: its pieces that trees have so far
  for (const PackedTree& tree : *trees) {
    int& first = given[tree.root()];
    const BlockRange pieces = recv(rank_at[tree.root()] * shape.parts + first, tree.weight());
    first += tree.weight();
    rounds.resize(std::max<std::size_t>(rounds.size(), tree.depth()));
    const int depth = tree.depth(own);
    if (depth > 0) append(rounds[depth - 1].recvs[rank_at[tree.parent(own)]], pieces);
    for (int node = 0; node < tree.nodes(); ++node)
      if (tree.parent(node) == own) append(rounds[depth].sends[rank_at[node]], pieces);
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
    .by_placement = true,
    .by_trees = true,
    .parts = parts,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
