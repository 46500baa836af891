// Broadcast down the minimum spanning tree of a torus: in every round, each rank that has the
// message sends it to up to 2N other ranks, one in each direction. These forward it in the slabs
// that they received.
// [chan2006, section 4.1]   rounds about ⌈log_2N+1 p⌉, never more than ⌈log2 p⌉
//                           cost rounds·(α + n·β), no two messages sharing a link
//
// See the drawing of the slabs in patterns/torus_tree.h.

#include "writing/algorithm.h"
#include "writing/torus.h"

namespace toccata::algorithms::bcast {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  const TorusTree tree = tree_of(grid, shape, rank);
  int rounds = 0;
  const auto open = [&](int round) {
    for (; rounds <= round; ++rounds) schedule.round();
  };
  if (tree.parent >= 0) {
    open(tree.round);
    schedule.recv(grid.rank_at(tree.parent), recv(0));
  }
  for (const TorusTree::Part& part : tree.parts) {
    open(part.round);
    schedule.send(grid.rank_at(part.root), recv(0));
  }
}

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> rounds = thirds(shape);
  if (!rounds) return {};
  return Cost{*rounds, 2 * *rounds, 2 * *rounds};
}

extern const Algorithm torus_mst{
    .name = "torus_mst",
    .collective = toccata::bcast,
    .summary = "about log_(2N+1) p rounds over 2N links of an N-D torus; for short messages",
    .citation = "chan2006, section 4.1",
    .claim = claim,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::bcast
