#include "algorithms/torus.h"

#include <algorithm>
#include <numeric>

namespace toccata {

Grid grid_of(const Shape& shape) {
  const Grid ring{{{shape.p}, {true}}};
  const Grid& known = shape.grid != nullptr ? *shape.grid : ring;
  Grid grid{{}, known.ranks};
  for (int i = 0; i < known.mesh.dimensions(); ++i) {
    if (known.mesh.dims[i] == 1) continue;
    grid.mesh.dims.push_back(known.mesh.dims[i]);
    grid.mesh.periodic.push_back(known.mesh.periodic[i]);
  }
  return grid;
}

int cell_of(const Grid& grid, int rank) {
  if (grid.ranks.empty()) return rank;
  return static_cast<int>(std::ranges::find(grid.ranks, rank) - grid.ranks.begin());
}

TorusTree tree_of(const Grid& grid, const Shape& shape, int rank) {
  return {grid.mesh, cell_of(grid, shape.root), cell_of(grid, rank)};
}

int tree_rounds(const Shape& shape) {
  const Grid grid = grid_of(shape);
  return tree_rounds(grid.mesh, cell_of(grid, shape.root));
}

int ways_round(const Shape& shape) { return std::max(1, 2 * grid_of(shape).mesh.dimensions()); }

std::vector<int> longest_first(const Mesh& mesh) {
  std::vector<int> order(mesh.dimensions());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return mesh.dims[a] > mesh.dims[b]; });
  return order;
}

int ring_steps(const Mesh& mesh) {
  int steps = 0;
  for (const int size : mesh.dims) steps += size - 1;
  return steps;
}

}  // namespace toccata
