#pragma once

#include "patterns/arithmetic.h"
#include "schedule/builder.h"

namespace toccata {

// Any number of ranks as a cube of 2^k leaves, for reductions that keep the order of the ranks:
// the first p - 2^k leaves are two ranks each, the others one.
//
//   p = 6    leaves 0: {0, 1}   1: {2, 3}   2: {4}   3: {5}
//
// Pairs are folded first: one rank of each, its owner, takes in the other; then the owners reduce
// leaf with leaf, pairs of leaves with pairs, ...: the standard expression of Algorithm. The owner
// is the lower rank, but where the root is in the pair it is the root.
struct FoldedCube {
  int p;
  int root = 0;

  int leaves() const { return 1 << floor_log2(p); }
  int pairs() const { return p - leaves(); }
  int leaf(int rank) const { return rank < 2 * pairs() ? rank / 2 : rank - pairs(); }
  bool in_pair(int rank) const { return rank < 2 * pairs(); }
  // The other rank of a pair.
  static int twin(int rank) { return rank ^ 1; }
  int owner(int leaf) const {
    if (leaf >= pairs()) return leaf + pairs();
    return root / 2 == leaf ? root : 2 * leaf;
  }
};

// What a rank has reduced, and where the next operand comes, so that the order of the ranks is
// kept: what comes from below is reduced into ours, and ours into what comes from above, which then
// is ours. `own` may be a part of send at first, as long as all comes from above; `spare` is what
// takes its place.
struct Operands {
  BlockRange own, other, spare;

  void take_in(bool from_above, ScheduleBuilder& schedule) {
    if (!from_above) {
      schedule.reduce(other, own);
      return;
    }
    schedule.reduce(own, other);
    const BlockRange was_own = own;
    own = other;
    other = was_own.buffer == Buffer::send ? spare : was_own;
  }
};

}  // namespace toccata
