#pragma once

#include <algorithm>

#include "patterns/arithmetic.h"

namespace toccata {

// Ranks as a binomial tree: rank r hangs on the rank without r's lowest bit, 2^k below it, and
// holds the subtree of the ranks from r to r + 2^k - 1. Any root plays rank 0, ranks count up from
// it on a circle: "virtual" ranks.
//
//   p = 6    0 - 4 - 5
//            0 - 2 - 3
//            0 - 1
struct Binomial {
  int p;
  int self;  // virtual rank
  int root;

  static Binomial of(int p, int rank, int root) { return {p, wrap(rank - root, p), root}; }

  bool is_root() const { return self == 0; }
  // The distance of the farthest child that a root has: the greatest power of two below p, or 0.
  int farthest() const { return p == 1 ? 0 : 1 << (ceil_log2(p) - 1); }
  // The distance to the parent, the lowest bit; the root's is one too far for everybody.
  int reach() const { return is_root() ? 1 << ceil_log2(p) : self & -self; }
  int parent() const { return rank(self - reach()); }
  bool has_child(int distance) const { return distance < reach() && self + distance < p; }
  int child(int distance) const { return rank(self + distance); }
  // Ranks in our subtree, and in that of a child.
  int span() const { return std::min(reach(), p - self); }
  int span(int distance) const { return std::min(distance, p - self - distance); }

 private:
  int rank(int virtual_rank) const { return wrap(virtual_rank + root, p); }
};

}  // namespace toccata
