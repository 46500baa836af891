#pragma once

#include <algorithm>

#include "patterns/arithmetic.h"

namespace toccata {

// The ranks as a k-nomial tree; k is the radix. In base k, the parent of rank r is r with its
// lowest nonzero digit replaced by 0. If that digit has weight w, the subtree of r consists of w
// ranks, from r on. The root has the role of rank 0, and ranks are counted up from it on a circle.
// These numbers are the virtual ranks.
//
//   p = 6, radix 2    0 - 4 - 5        p = 9, radix 3    0 - 6 - 7, 8
//                     0 - 2 - 3                          0 - 3 - 4, 5
//                     0 - 1                              0 - 1, 2
struct Knomial {
  int p;
  int self;  // virtual rank
  int root;
  int radix = 2;

  static Knomial of(int p, int rank, int root, int radix = 2) {
    return {p, wrap(rank - root, p), root, radix};
  }

  bool is_root() const { return self == 0; }
  // The greatest power of the radix below p, or 0: the distance from the root to its first child at
  // the farthest level.
  int farthest() const {
    int weight = p > 1 ? 1 : 0;
    while (weight > 0 && (p - 1) / radix >= weight) weight *= radix;
    return weight;
  }
  // The number of digits. It is also the number of rounds if the ranks of one level send to their
  // parents in one round.
  int levels() const {
    int levels = 0;
    for (int weight = farthest(); weight > 0; weight /= radix) ++levels;
    return levels;
  }
  // The weight of our lowest nonzero digit; p for the root, which is more than for any other rank.
  int reach() const { return is_root() ? p : weight_of(self); }
  int parent() const { return rank(self - self / reach() % radix * reach()); }
  // The distance of a child is a digit times its weight.
  bool has_child(int distance) const { return distance < reach() && self + distance < p; }
  int child(int distance) const { return rank(self + distance); }
  // The number of children at distances `weight`, 2 · weight, ...
  int children(int weight) const {
    return weight < reach() ? std::min(radix - 1, (p - 1 - self) / weight) : 0;
  }
  int children() const {
    int all = 0;
    for (int weight = farthest(); weight > 0; weight /= radix) all += children(weight);
    return all;
  }
  // The number of ranks in our subtree, and in the subtree of the child at `distance`.
  int span() const { return std::min(reach(), p - self); }
  int span(int distance) const { return std::min(weight_of(distance), p - self - distance); }

 private:
  int rank(int virtual_rank) const { return wrap(virtual_rank + root, p); }
  // The greatest power of the radix that divides `number`, which is not 0.
  int weight_of(int number) const {
    int weight = 1;
    while (number / weight % radix == 0) weight *= radix;
    return weight;
  }
};

}  // namespace toccata
