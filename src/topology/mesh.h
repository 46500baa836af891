#pragma once

#include <vector>

namespace toccata {

// An N-dimensional mesh, the last dimension fastest; a torus if all dimensions are periodic.
struct Mesh {
  std::vector<int> dims;
  std::vector<bool> periodic;

  int dimensions() const { return static_cast<int>(dims.size()); }
  int cells() const;
  std::vector<int> coordinates(int cell) const;
  int cell(const std::vector<int>& coordinates) const;
  // For each dimension, the cells below and above; -1 if there is none.
  std::vector<int> neighbors(int cell) const;
  // The number of links on a shortest path between two cells.
  int hops(int from, int to) const;

  bool operator==(const Mesh&) const = default;
};

// The ranks of a communicator on a mesh, exactly one in each cell: a Cartesian communicator, or the
// nodes of a torus with one rank each.
struct Grid {
  Mesh mesh;
  std::vector<int> ranks = {};  // by cell; empty if rank i is in cell i

  int rank_at(int cell) const { return ranks.empty() ? cell : ranks[cell]; }
};

}  // namespace toccata
