#pragma once

#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// A reduce-scatter that is the allgather of the same name in reverse: the allgather distributes a
// block, the reduce-scatter combines the contributions to it. Contributions arrive in any order, so
// the order of the ranks is not preserved.
class AllgatherBackwards {
 public:
  // The allgather must exist, and rank r must own the blocks from r * parts on. If ranks have
  // different numbers of rounds, pass the maximum as `rounds`.
  explicit AllgatherBackwards(std::string_view name, int (*rounds)(const Shape& shape) = nullptr);

  void write(const Shape& shape, int rank, ScheduleBuilder& schedule) const;

  // The claim of the allgather, if any, in reverse. A rank reduces what it sent, and sends one
  // contribution to every block of the other ranks.
  std::optional<Cost> claim(const Shape& shape) const;

 private:
  const Algorithm& allgather_;
  int (*rounds_)(const Shape& shape);
};

}  // namespace toccata
