#pragma once

#include <span>
#include <vector>

#include "writing/algorithm.h"

namespace toccata {

// Counts the cost of an algorithm from the schedules of its ranks, which are added one by one. The
// cost consists of the maxima of the ranks' sums, and the number of rounds in which any rank has a
// message.
class Counter {
 public:
  void add(const Schedule& schedule);
  const Cost& cost() const { return cost_; }

 private:
  Cost cost_;
  std::vector<bool> has_messages_;  // by round
};

// The cost of an algorithm in a possible and complete shape. With few ranks, it is counted from the
// schedules of all ranks. Otherwise, it is the claim, which proofs check. Without a claim, it is
// counted from a sample of ranks. For flat algorithms, the sample is exact, except for one block if
// ranks are folded. With irregular placements, and in compositions of trees that begin at other
// ranks or whose radix is not a power of two, a rank outside the sample may have a higher cost.
Cost count(const Algorithm& algorithm, const Shape& shape);

// All ranks, if there are up to 64. Otherwise, a sample whose size grows as log p. It contains
// ranks at which patterns begin and end, or which have the highest cost. These are around 0, the
// root, the middle of a mesh, and powers of two from the root on. It also contains the leaders of
// the first, second, middle, last, largest and smallest region of every level, and some ranks in
// between.
std::vector<int> telling_ranks(const Shape& shape);

}  // namespace toccata
