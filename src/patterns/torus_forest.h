#pragma once

#include <vector>

#include "patterns/binary_tree.h"
#include "topology/mesh.h"

namespace toccata {

// Spanning trees of a torus that have the same root; no two of them use the same link. There are as
// many trees as the root has links. So together they carry a message at the rate of all these
// links, which is the maximum [edmonds1973]. On a hypercube, where all dimensions are 2, there are
// as many trees as in [johnsson1989].
//
// If all dimensions are at least 3, tree (i, up) begins with dimension i. Let x be the coordinates
// relative to the root. The parent of a cell with x_i = 0 is one step back in dimension i, around
// the ring. The parent of any other cell is one step back in the last dimension in which its
// coordinate is not 0, in the cyclic order i, i+1, ... Tree (i, down) is the mirror image.
//
//   3 x 3, tree (first, up)    .→.→.     tree (second, up)    .  ┬→┬      root in the upper left;
//                              ↓ ↓        x_1 goes down        ↓  ↓  ↓     x_1 = 0 is entered from
//                                                              .  .  .     the far end of its ring
//
// A dimension of 2 adds one tree. It divides the torus into two halves. Let r be the root in the
// first half, r' its copy in the second, and c_j the only child of r in tree j:
//
//   the new tree    the link r r', tree 0 of the second half, and a link from each of its cells
//                   except r' to the copy in the first half
//   tree j > 0      continues in the second half as tree j: it enters this half by the link
//                   c_j c_j', and reaches r' by c_j' r'
//   tree 0          goes from every cell of the first half to its copy, except to r' and to c_j'
//                   with j > 0; it reaches these by c_0' r' and r' c_j'
class TorusForest {
 public:
  // All dimensions must be rings, or have 1 or 2 cells; see `fits`.
  TorusForest(const Mesh& mesh, int root);
  static bool fits(const Mesh& mesh);

  int trees() const {
    return 2 * static_cast<int>(rings_.size()) + static_cast<int>(pairs_.size());
  }
  // The maximum depth of all trees, in links.
  int depth() const { return depth_; }
  // -1 for the root.
  int parent(int tree, int cell) const;
  TreePlace place(int tree, int cell) const;

 private:
  // Relative to the root, in the order of `rings_`, then of `pairs_`.
  using Coordinates = std::vector<int>;
  Coordinates relative(int cell) const;
  int cell(const Coordinates& x) const;
  // Moves x to its parent, in the torus of all rings and the first `pairs` pairs.
  bool to_parent(int tree, int pairs, Coordinates& x) const;
  // Whether x is a child of the root in a tree of that torus; if so, moves x to the root.
  bool is_child(int tree, int pairs, const Coordinates& x) const;
  void to_child(int tree, Coordinates& x) const;
  bool is_root(int pairs, const Coordinates& x) const;

  Mesh mesh_;
  std::vector<int> root_;           // coordinates
  std::vector<int> rings_, pairs_;  // dimensions
  int depth_ = 0;
};

}  // namespace toccata
