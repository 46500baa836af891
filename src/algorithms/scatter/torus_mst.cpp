// Scatter down the minimum spanning tree of a torus: as in bcast/torus_mst, but each slab gets only
// the blocks of its cells.
// [chan2006, section 4.1.5]   rounds about ⌈log_2N+1 p⌉   cost rounds·α + (p-1)/p·n/2N·β

#include "writing/algorithm.h"
#include "writing/torus.h"

namespace toccata::algorithms::scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  const TorusTree tree = tree_of(grid, shape, rank);
  const CellBox box = tree.box.box();
  const CellBox self{tree.box.root, std::vector<int>(tree.box.root.size(), 1)};

  // A rank that forwards blocks has its whole box in scratch, in the order of the cells.
  const bool relays = tree.parent >= 0 && !tree.parts.empty();
  const BlockRange kept = relays ? schedule.scratch(blocks_of(grid, box, Buffer::send)) : recv(0);
  const Grid in_box{{box.extent, grid.mesh.periodic}};
  const auto held = [&](CellBox part) {
    if (!relays) return blocks_of(grid, part, Buffer::send);
    for (std::size_t i = 0; i < part.first.size(); ++i)
      part.first[i] = wrap(part.first[i] - box.first[i], grid.mesh.dims[i]);
    return blocks_of(in_box, part, Buffer::scratch);
  };

  int rounds = 0;
  const auto open = [&](int round) {
    for (; rounds <= round; ++rounds) schedule.round();
  };
  open(std::max(tree.round, 0));
  if (tree.parent >= 0) schedule.recv(grid.rank_at(tree.parent), kept);
  if (tree.parent < 0 || relays) schedule.copy(held(self), {recv(0)});
  for (const TorusTree::Part& part : tree.parts) {
    open(part.round);
    schedule.send(grid.rank_at(part.root), held(part.box.box()));
  }
}

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> rounds = thirds(shape);
  if (!rounds) return {};
  return Cost{*rounds, 2 * *rounds, shape.p - 1, 1};
}

extern const Algorithm torus_mst{
    .name = "torus_mst",
    .collective = toccata::scatter,
    .summary = "about log_(2N+1) p rounds over 2N links of an N-D torus, slab by slab",
    .citation = "chan2006, section 4.1.5",
    .claim = claim,
    .relays = true,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
