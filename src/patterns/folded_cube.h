#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "patterns/arithmetic.h"
#include "schedule/builder.h"

namespace toccata {

// Any number of ranks, arranged as a cube of 2^k leaves, for reductions that keep the order of the
// ranks. The first p - 2^k leaves have two ranks each, the other leaves have one. With a radix
// other than 2, there are j · radix^k leaves with j < radix, as many as possible.
//
//   p = 6             leaves 0: {0, 1}   1: {2, 3}   2: {4}   3: {5}
//   p = 7, radix 3    leaves 0: {0, 1}   1: {2}   2: {3}   3: {4}   4: {5}   5: {6}
//
// Pairs are folded first: one rank of each pair, its owner, combines both contributions. Then the
// owners combine leaf with leaf, then pairs of leaves with pairs, and so on. The result is the
// standard expression of Algorithm. The owner of a pair is the root if the pair contains it,
// otherwise the lower rank.
struct FoldedCube {
  int p;
  int root = 0;
  int radix = 2;

  int leaves() const {
    int power = 1;
    while (p / power >= radix) power *= radix;
    return p / power * power;
  }
  int pairs() const { return p - leaves(); }
  int leaf(int rank) const { return rank < 2 * pairs() ? rank / 2 : rank - pairs(); }
  bool in_pair(int rank) const { return rank < 2 * pairs(); }
  // The other rank of a pair.
  static int twin(int rank) { return rank ^ 1; }
  // The lowest rank of a leaf; p for the leaf after the last one.
  int first(int leaf) const { return leaf + std::min(leaf, pairs()); }
  int owner(int leaf) const { return leaf < pairs() && root / 2 == leaf ? root : first(leaf); }
};

// A group of `size` leaves, `weight` apart, from `first` on, which all communicate with each other.
// Our leaf is at `place`. We first send to the next leaf above, and first receive from the next
// leaf below. So every rank receives from one leaf at a time.
//
//   4 leaves, place 1    sends to 2 3 0    receives from 0 3 2
struct LeafGroup {
  int first, weight, size, place;

  int leaf(int i) const { return first + i * weight; }
  int above(int i) const { return leaf((place + i) % size); }
  int below(int i) const { return leaf((place + size - i) % size); }
};

// Visits the groups of a leaf, neighbours first: leaves that differ only in their lowest digit,
// then leaves that differ only in the next digit, and so on.
template <typename Visit>
void for_each_group(const FoldedCube& cube, int leaf, Visit&& visit) {
  const int leaves = cube.leaves();
  for (int weight = 1, size; weight < leaves; weight *= size) {
    size = std::min(cube.radix, leaves / weight);
    const int place = leaf / weight % size;
    visit(LeafGroup{leaf - place * weight, weight, size, place});
  }
}

// The ranks of each group of a rank, in ascending order, including the rank itself: its pair, if
// any, then the owners of the leaves of each group.
inline std::vector<std::vector<int>> groups_of(const FoldedCube& cube, int rank) {
  std::vector<std::vector<int>> groups;
  if (cube.in_pair(rank)) groups.push_back({rank & ~1, rank | 1});
  for_each_group(cube, cube.leaf(rank), [&](const LeafGroup& group) {
    auto& ranks = groups.emplace_back();
    for (int i = 0; i < group.size; ++i) ranks.push_back(cube.owner(group.leaf(i)));
  });
  return groups;
}

// In an allgather, the owner of a pair first receives the block of the other rank. At the end, it
// sends all other blocks to that rank.
inline void fold_blocks(const FoldedCube& cube, int rank, ScheduleBuilder& schedule) {
  const int twin = FoldedCube::twin(rank);
  schedule.round().copy(send(0), recv(rank));
  if (cube.pairs() > 0) schedule.round();
  if (!cube.in_pair(rank)) return;
  rank == cube.owner(cube.leaf(rank)) ? schedule.recv(twin, recv(twin))
                                      : schedule.send(twin, recv(rank));
}
inline void unfold_blocks(const FoldedCube& cube, int rank, ScheduleBuilder& schedule) {
  if (!cube.in_pair(rank)) return;
  const int twin = FoldedCube::twin(rank);
  const auto all_but = [&](int block) {
    return BlockRanges{recv(0, block), recv(block + 1, cube.p - block - 1)};
  };
  rank == cube.owner(cube.leaf(rank)) ? schedule.round().send(twin, all_but(twin))
                                      : schedule.round().recv(twin, all_but(rank));
}

// The number of rounds of an allgather by groups: one for local copies, one per group, and, if
// there are pairs, two to fold and unfold them.
inline int gathering_rounds(const FoldedCube& cube) {
  int rounds = cube.pairs() > 0 ? 3 : 1;
  for_each_group(cube, 0, [&](const LeafGroup&) { ++rounds; });
  return rounds;
}

// The location of a rank's reduced value, and of the next operand. To keep the order of the ranks,
// an operand of a lower rank is reduced into our value. Our value is reduced into an operand of a
// higher rank, and our value is then in that block. Initially, `own` may be a part of send, if the
// first operand is that of a higher rank; `spare` then replaces it.
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

// The same for the operands of groups of ranks, which are combined into that of the last rank.
class GroupOperands {
 public:
  // Our operand will be in recv after all `groups`.
  GroupOperands(int rank, const std::vector<std::vector<int>>& groups, ScheduleBuilder& schedule)
      : rank_(rank), own_(recv(0)), other_(schedule.scratch({send(0)})) {
    std::size_t most = 2;
    for (const auto& ranks : groups) {
      combined(ranks);
      most = std::max(most, ranks.size());
    }
    rest_ = schedule.scratch(BlockRanges(most - 2, send(0)));
  }

  const BlockRange& own() const { return own_; }
  // The places of the operands of a group, in the order of its ranks.
  BlockRanges places(const std::vector<int>& ranks) const {
    const int into_other = ranks.back() != rank_ ? ranks.back() : ranks.front();
    BlockRanges places;
    for (int free = rest_.first; const int peer : ranks)
      places.push_back(peer == rank_        ? own_
                       : peer == into_other ? other_
                                            : BlockRange{Buffer::scratch, free++});
    return places;
  }
  // The place of the last operand becomes that of ours.
  void combined(const std::vector<int>& ranks) {
    if (ranks.back() != rank_) std::swap(own_, other_);
  }

 private:
  int rank_;
  BlockRange own_, other_, rest_;
};

}  // namespace toccata
