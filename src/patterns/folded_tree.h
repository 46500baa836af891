#pragma once

#include <vector>

#include "patterns/folded_cube.h"

namespace toccata {

// A binomial tree over a folded cube, for reductions that keep the order of the ranks: neighbours
// are combined first, so operands always belong to consecutive ranks. When two runs of ranks are
// combined, the root has the result if it is in one of them, otherwise the lowest rank has it.
//
//   p = 4, root 3    0 has 0-1, 3 has 2-3    3 has 0-3
struct FoldedTree {
  std::vector<int> from;  // by round: the source of the next operand; -1 if there is none
  int to = -1;            // the destination of the result; -1 for the root

  FoldedTree(const FoldedCube& cube, int rank) {
    const int leaf = cube.leaf(rank), twin = FoldedCube::twin(rank);
    const bool owner = rank == cube.owner(leaf);
    if (!owner) to = twin;
    if (owner && cube.pairs() > 0) from.push_back(cube.in_pair(rank) ? twin : -1);
    for (int size = 1; to < 0 && size < cube.leaves(); size *= 2) {
      const int first = leaf & ~(size - 1), other = head(cube, first ^ size, size);
      if (head(cube, first & ~size, 2 * size) == rank)
        from.push_back(other);
      else
        to = other;
    }
  }

 private:
  // The rank that has the result of `size` leaves from `first` on.
  static int head(const FoldedCube& cube, int first, int size) {
    const bool with_root = (cube.leaf(cube.root) & ~(size - 1)) == first;
    return with_root ? cube.root : cube.owner(first);
  }
};

}  // namespace toccata
