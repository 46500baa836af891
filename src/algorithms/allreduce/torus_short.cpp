// Allreduce on a torus for short messages: a reduction to the rank in the middle, and a broadcast
// from there, both over the minimum spanning tree.
// [chan2006, section 4.2.4]   rounds about 2·⌈log_2N+1 p⌉   cost rounds·(α + n·β) + rounds·N·n·γ

#include "writing/registry.h"
#include "writing/torus.h"

namespace toccata::algorithms::allreduce {

static const Algorithm& reduce() { return *find_algorithm(toccata::reduce, "torus_mst"); }
static const Algorithm& bcast() { return *find_algorithm(toccata::bcast, "torus_mst"); }

// On a mesh, the tree from the middle is the lowest. On a torus, the trees from all cells are
// alike.
static Shape rooted(Shape shape) {
  const Grid grid = grid_of(shape);
  std::vector<int> middle = grid.mesh.dims;
  for (int& each : middle) each /= 2;
  shape.root = grid.rank_at(grid.mesh.cell(middle));
  return shape;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Shape inner = rooted(shape);
  schedule.then(reduce().schedule(inner, rank), 1 + tree_rounds(inner))
      .then(bcast().schedule(inner, rank));
}

// The root sends in the broadcast only, and still sends most.
static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<Cost> up = reduce().claimed(shape);
  const std::optional<Cost> down = bcast().claimed(shape);
  if (!up || !down) return {};
  return Cost{up->rounds, 0, 0, up->copied, up->reduced} + *down;
}

extern const Algorithm torus_short{
    .name = "torus_short",
    .collective = toccata::allreduce,
    .summary = "reduce and broadcast over 2N links of an N-D torus; for short messages",
    .citation = "chan2006, section 4.2.4",
    .claim = claim,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
