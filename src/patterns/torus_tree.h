#pragma once

#include <algorithm>
#include <vector>

#include "patterns/torus.h"

namespace toccata {

// A box of cells, described by its root cell and, in each dimension, the number of cells below and
// above the root.
struct RootedBox {
  std::vector<int> root;  // coordinates
  std::vector<int> below;
  std::vector<int> above;

  int cells() const;
  bool contains(const Mesh& mesh, const std::vector<int>& coordinates) const;
  CellBox box() const;
};

// The minimum spanning tree over a mesh or torus: [chan2006, sections 4.1.2 and 4.1.3]. In every
// round, the root of a box hands over up to 2N slabs, one in each direction, and keeps the rest.
// The root of a slab is its middle cell on the axis of the old root. So the messages of a round
// never share a link.
//
//   4 x 4 torus, the root hands       1 1 1 1         3 rounds for 16 cells: the lower bound is 2,
//   over slabs 1, 2, 3 and 4 of       4 R R 3         the least k with 5^k >= 16; one round more is
//   4, 4, 2 and 2 cells               4 R R 3         needed, because slabs differ in size
//                                     2 2 2 2
//
// Slabs are as even as possible: if a box is still to be cut into k pieces, the next slab takes 1/k
// of the cells in its dimension. The longest dimension comes first, so that the pieces are cubic.
//
// For any root among p cells, the tree has at most ceil(log2 p) rounds; the lower bound is
// ceil(log_{2N+1} p).
struct TorusTree {
  struct Part {
    int round;
    int root;  // cell
    RootedBox box;
  };

  int parent = -1;          // the cell that hands over; -1 at the root of the tree
  int round = -1;           // the round in which it hands over
  RootedBox box;            // the box that is handed over; this cell is its root
  std::vector<Part> parts;  // the parts that this cell hands over, by rounds

  // The position of `cell` in the tree with the root in cell `root`.
  TorusTree(const Mesh& mesh, int root, int cell);
};

// The number of rounds of the whole tree: its height.
int tree_rounds(const Mesh& mesh, int root);

}  // namespace toccata
