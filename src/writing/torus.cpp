#include "writing/torus.h"

#include <algorithm>
#include <cmath>
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

std::optional<int> thirds(const Shape& shape) {
  const Mesh mesh = grid_of(shape).mesh;
  if (mesh.dimensions() > 1 || (mesh.dimensions() == 1 && !mesh.periodic[0])) return {};
  int rounds = 0, boxes = 1;
  for (; boxes < shape.p; boxes *= 3) ++rounds;
  return boxes == shape.p ? std::optional(rounds) : std::nullopt;
}

int doubling_rounds(const Shape& shape) {
  int rounds = 3;
  for (const int size : grid_of(shape).mesh.dims) rounds += floor_log2(size);
  return rounds;
}

int ways_round(const Shape& shape) { return std::max(1, 2 * grid_of(shape).mesh.dimensions()); }

namespace {

// The load of routes on the links. One route begins with each dimension, in the given order.
struct Balance {
  std::vector<int> sizes;  // of the dimensions, in this order
  std::vector<int> links;  // of a cell at the end of a line, by dimension

  Balance(const Mesh& mesh, const std::vector<int>& order) {
    for (const int dimension : order) {
      sizes.push_back(mesh.dims[dimension]);
      links.push_back(mesh.periodic[dimension] && mesh.dims[dimension] > 2 ? 2 : 1);
    }
  }

  int dimensions() const { return static_cast<int>(sizes.size()); }

  std::vector<double> shares() const {
    const double all = std::accumulate(links.begin(), links.end(), 0);
    std::vector<double> shares;
    for (int i = 0; i < dimensions(); ++i) {
      const int j = i == 0 ? dimensions() - 1 : i - 1;
      shares.push_back(links[j] / all * (1 + 1.0 / (sizes[j] - 1)) -
                       links[i] / all / (sizes[i] - 1));
    }
    return shares;
  }

  // The load of the busiest link, relative to the mean of all links.
  double excess(const std::vector<int>& pieces) const {
    std::vector<double> load(dimensions());
    double all_links = 0, all_load = 0;
    for (int i = 0; i < dimensions(); ++i) {
      double held = pieces[i];
      for (int k = 0; k < dimensions(); ++k) {
        const int along = (i + k) % dimensions();
        load[along] += held * (sizes[along] - 1) / links[along];
        all_load += held * (sizes[along] - 1);
        held *= sizes[along];
      }
      all_links += links[i];
    }
    return std::ranges::max(load) / (all_load / all_links);
  }
};

}  // namespace

std::vector<Way> balanced_ways(const Grid& grid) {
  constexpr int most = 128;
  constexpr double close_enough = 1.005;
  std::vector<int> order = longest_first(grid.mesh);
  if (order.empty()) return {{{}, +1, 0, 1}};
  const Balance balance(grid.mesh, order);
  // Finds the smallest sufficient number of pieces. Each share is rounded with the remainder of the
  // previous ones.
  const std::vector<double> shares = balance.shares();
  std::vector<int> best;
  for (int all = 1; all <= most; ++all) {
    std::vector<int> pieces;
    double share = 0;
    for (int given = 0; const double each : shares) {
      share += each;
      pieces.push_back(static_cast<int>(std::lround(share * all)) - given);
      given += pieces.back();
    }
    if (best.empty() || balance.excess(pieces) < balance.excess(best)) best = std::move(pieces);
    if (balance.excess(best) < close_enough) break;
  }
  std::vector<Way> ways;
  for (int first = 0; const int direction : {+1, -1})
    for (const int pieces : best) {
      if (pieces > 0) ways.push_back({order, direction, first, pieces});
      first += pieces;
      std::ranges::rotate(order, order.begin() + 1);
    }
  return ways;
}

int balanced_pieces(const Shape& shape) {
  const Way last = balanced_ways(grid_of(shape)).back();
  return last.first_piece + last.pieces;
}

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
