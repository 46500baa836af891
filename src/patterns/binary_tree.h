#pragma once

#include <cstdint>
#include <vector>

#include "patterns/arithmetic.h"

namespace toccata {

// The position of a rank in a tree.
struct TreePlace {
  int parent = -1;  // the root has none
  std::vector<int> children = {};
  int depth = 0;  // below the root
};

// All ranks except the root form a binary search tree: the left subtree of a node has lower
// numbers, the right one higher numbers. The root is above this tree. Nodes with an odd number are
// leaves. So if two such trees are rotated against each other by one place, every rank is a leaf in
// at least one of them.
//
//   p = 8           0              rotated      0
//                   4                           5
//               2       6                   3       7
//             1   3   5   7               2   4   6   1
//
// The root has the role of node 0, and ranks are counted up from it on a circle.
struct BinaryTree {
  int p;
  int root;
  bool turned = false;

  // The number of rounds from the root to the deepest node.
  int depth() const { return p == 1 ? 0 : 1 + floor_log2(p - 1); }

  TreePlace place(int rank) const {
    const int self = node(rank);
    TreePlace place;
    if (self > 0) place.parent = player(parent(self));
    for (int up = self; up > 0; up = parent(up)) ++place.depth;
    if (self == 0 && p > 1) place.children = {player(top())};
    if (self == 0) return place;
    const int lowest = self & -self;
    if (lowest > 1) place.children.push_back(player(self - lowest / 2));
    for (int right = lowest / 2; right > 0; right /= 2)  // nearer at the end of the tree
      if (self + right < p) {
        place.children.push_back(player(self + right));
        break;
      }
    return place;
  }

 private:
  int top() const { return 1 << floor_log2(p - 1); }
  int parent(int self) const {
    if (self == top()) return 0;
    do {
      const int lowest = self & -self;
      self = (self ^ lowest) | 2 * lowest;
    } while (self >= p);
    return self;
  }
  int node(int rank) const {
    const int above = wrap(rank - root, p);
    if (!turned || above == 0) return above;
    return above == 1 ? p - 1 : above - 1;
  }
  int player(int self) const {
    if (turned && self > 0) self = self == p - 1 ? 1 : self + 1;
    return wrap(std::int64_t{self} + root, p);
  }
};

}  // namespace toccata
