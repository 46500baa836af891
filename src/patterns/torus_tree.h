#pragma once

#include <algorithm>
#include <vector>

#include "patterns/torus.h"

namespace toccata {

// A box of cells as one of them, its root, sees it: how many there are below and above the root in
// each dimension.
struct RootedBox {
  std::vector<int> root;  // coordinates
  std::vector<int> below;
  std::vector<int> above;

  int cells() const;
  bool contains(const Mesh& mesh, const std::vector<int>& coordinates) const;
  CellBox box() const;
};

// The minimum spanning tree over a mesh or torus: [chan2006, sections 4.1.2 and 4.1.3]. In every
// round the root of a box hands over up to 2N slabs, one in each direction, and keeps the rest; the
// middle of a slab, on the root's own axis, is the root there. So the messages of a round never
// share a link.
//
//   4 x 4 torus, the root hands       1 1 1 1         rounds 3: all of 4 x 4 have 16 cells, and
//   over slabs 1, 2, 3 and 4 of       4 R R 3         3 is the least k with 5^k >= 16 and one
//   4, 4, 2 and 2 cells               4 R R 3         more, since slabs are not of equal sizes
//                                     2 2 2 2
//
// As even as slabs can be: of a box that is still to be in k pieces, the next takes 1/k of the
// cells in its dimension. The longest dimension comes first, so that the pieces are cubic.
//
// Never more rounds than ceil(log2 p) over all cells and roots; the bound is ceil(log_{2N+1} p).
struct TorusTree {
  struct Part {
    int round;
    int root;  // cell
    RootedBox box;
  };

  int parent = -1;          // the cell that hands over; none where this is the root of all
  int round = -1;           // in which it does
  RootedBox box;            // that is handed over, this cell being its root
  std::vector<Part> parts;  // that this cell hands over, by rounds

  // The place of `cell` in the tree that has its root in cell `root`.
  TorusTree(const Mesh& mesh, int root, int cell);
};

// Rounds of the whole tree: its height.
int tree_rounds(const Mesh& mesh, int root);

}  // namespace toccata
