#pragma once

#include <vector>

#include "patterns/binary_tree.h"
#include "topology/mesh.h"

namespace toccata {

// Spanning trees of a torus with one root, no two of which use the same link: as many as links
// leave the root, so that together they carry a message at the rate of all these links, which is
// the most there can be [edmonds1973]. On a hypercube, where all dimensions are 2, there are as
// many as by [johnsson1989].
//
// With all dimensions at least 3, tree (i, up) begins with dimension i, x being coordinates
// relative to the root: the parent of a cell with x_i = 0 is one step back in dimension i, round
// the ring; that of any other cell is one step back in the last dimension in which it is not 0, in
// the cyclic order i, i+1, ... Tree (i, down) is its mirror image.
//
//   3 x 3, tree (first, up)    .→.→.     tree (second, up)    .  ┬→┬      root above on the left;
//                              ↓ ↓        x_1 goes down        ↓  ↓  ↓     x_1 = 0 is entered from
//                                                              .  .  .     the far end of its ring
//
// A dimension of 2 adds one tree. Of the two halves it consists of, r is the root in the first, r'
// its copy in the second, c_j the only child of r in tree j:
//
//   the new tree    r r', tree 0 of the second half, and from every copy in it to the first half
//   tree j > 0      goes on in the second half as tree j there, entered by c_j c_j', and c_j' r'
//   tree 0          goes from every cell of the first half to its copy, except to r' and the c_j'
//                   of the others, which it reaches by c_0' r' and r' c_j'
class TorusForest {
 public:
  // All dimensions have to be rings, or of 1 or 2 cells; see `fits`.
  TorusForest(const Mesh& mesh, int root);
  static bool fits(const Mesh& mesh);

  int trees() const {
    return 2 * static_cast<int>(rings_.size()) + static_cast<int>(pairs_.size());
  }
  // In links; of all trees.
  int depth() const { return depth_; }
  // -1 for the root.
  int parent(int tree, int cell) const;
  TreePlace place(int tree, int cell) const;

 private:
  // Relative to the root, in the order of `rings_`, then of `pairs_`.
  using Coordinates = std::vector<int>;
  Coordinates relative(int cell) const;
  int cell(const Coordinates& x) const;
  // Moves x to its parent in the torus of all rings and the first `pairs` pairs.
  bool to_parent(int tree, int pairs, Coordinates& x) const;
  // Whether x is the root's child in a tree there; and moves the root there.
  bool is_child(int tree, int pairs, const Coordinates& x) const;
  void to_child(int tree, Coordinates& x) const;
  bool is_root(int pairs, const Coordinates& x) const;

  Mesh mesh_;
  std::vector<int> root_;           // coordinates
  std::vector<int> rings_, pairs_;  // dimensions
  int depth_ = 0;
};

}  // namespace toccata
