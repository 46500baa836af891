#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "patterns/folded_cube.h"
#include "schedule/builder.h"

namespace toccata {

// Writes the steps by which one rank evaluates the standard expression of Algorithm, or the
// standard prefix. The rank must be able to read the operands of all ranks. No operand is
// overwritten; intermediate results lie in one scratch block per level of the tree.
//
//   4 operands   target = d    target = c∘d    low = b    low = a∘b    target = low∘target
class StandardExpression {
 public:
  // `operand` returns the location of a rank's operand; all blocks, including scratch, have the
  // size of `like`.
  StandardExpression(ScheduleBuilder& schedule, const BlockRange& like,
                     std::function<BlockRange(int rank)> operand)
      : schedule_(schedule), like_(like), operand_(std::move(operand)) {}

  // The expression of all p ranks.
  void write_all(int p, const BlockRange& target) {
    const FoldedCube cube{p};
    pairs_ = cube.pairs();
    write(0, cube.leaves(), target, 0);
  }

  // The expression of ranks 0 to count - 1, as in scan: one perfect tree for each power of two in
  // `count`, combined from the right.
  //
  //   7 operands   ((0∘1) ∘ (2∘3)) ∘ ((4∘5) ∘ 6)
  void write_prefix(int count, const BlockRange& target) {
    pairs_ = 0;
    for (int end = count; end > 0; end &= end - 1) {
      const int first = end & (end - 1);
      if (end == count)
        write(first, end, target, 0);
      else
        take_in(first, end, target, 0);
    }
  }

 private:
  int rank(int leaf) const { return leaf + std::min(leaf, pairs_); }

  // target = leaves first to end - 1
  void write(int first, int end, BlockRange target, int depth) {
    if (end - first > 1) {
      const int middle = first + (end - first) / 2;
      write(middle, end, target, depth);
      take_in(first, middle, target, depth);
    } else if (first < pairs_) {
      schedule_.copy(operand_(rank(first) + 1), target);
      schedule_.reduce(operand_(rank(first)), target);
    } else {
      schedule_.copy(operand_(rank(first)), target);
    }
  }

  // target = leaves first to end - 1 ∘ target
  void take_in(int first, int end, BlockRange target, int depth) {
    if (end - first == 1 && first >= pairs_) {
      schedule_.reduce(operand_(rank(first)), target);
      return;
    }
    while (static_cast<int>(lower_.size()) <= depth) lower_.push_back(schedule_.scratch({like_}));
    write(first, end, lower_[depth], depth + 1);
    schedule_.reduce(lower_[depth], target);
  }

  ScheduleBuilder& schedule_;
  BlockRange like_;
  std::function<BlockRange(int rank)> operand_;
  int pairs_ = 0;      // the number of leaves with two ranks
  BlockRanges lower_;  // by depth
};

}  // namespace toccata
