#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// What schedules cost, counted one by one: sums over each rank's own, of which the largest stays,
// and the rounds in which any rank has a message.
class Counter {
 public:
  void add(const Schedule& schedule);
  const Cost& cost() const { return cost_; }

 private:
  Cost cost_;
  std::vector<bool> has_messages_;  // by round
};

// What an algorithm costs in a possible and complete shape: by the schedules of all ranks where
// they are few, else as claimed, as proofs hold claims to that, and where nothing is claimed by
// the schedules of the ranks that tell most. For flat algorithms that is the exact cost, except
// for a block if ranks are folded; in irregular places some rank may do more than those asked.
Cost count(const Algorithm& algorithm, const Shape& shape);

// Of up to 64 ranks, all. Of more, a number of them that grows as log p: those in which patterns
// begin and end, or have most to do (around 0, the root, the middle of a mesh, and powers of two
// from the root on), the leaders of the first, second, middle, last, largest and smallest region of
// every level, and some in between that are not round numbers.
std::vector<int> telling_ranks(const Shape& shape);

}  // namespace toccata
