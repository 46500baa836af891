#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// Counts the cost of schedules one by one: the maximum over the ranks of each rank's sums, and the
// rounds in which any rank has a message.
class Counter {
 public:
  void add(const Schedule& schedule);
  const Cost& cost() const { return cost_; }

 private:
  Cost cost_;
  std::vector<bool> has_messages_;  // by round
};

// The cost of an algorithm in a possible and complete shape. With few ranks, it is counted in the
// schedules of all. Otherwise it is the claim, which proofs check. Without a claim, it is counted
// in a sample of ranks. For flat algorithms this is exact, except for one block if ranks are
// folded; with irregular placements, a rank outside the sample may do more.
Cost count(const Algorithm& algorithm, const Shape& shape);

// Up to 64 ranks: all. Above, a sample whose size grows as log p. It contains ranks in which
// patterns begin and end, or which have most to do (around 0, the root, the middle of a mesh, and
// powers of two from the root on); the leaders of the first, second, middle, last, largest and
// smallest region of every level; and some ranks in between.
std::vector<int> telling_ranks(const Shape& shape);

}  // namespace toccata
