#pragma once

#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// A reduce-scatter that is the allgather of the same name played backwards: where that spreads a
// block, this collects contributions to it. What reaches a rank may have come from anywhere, so the
// order of the ranks is not kept.
class AllgatherBackwards {
 public:
  // The allgather must exist, and rank r must have the blocks from r * parts on. Where not all
  // ranks have as many rounds, `rounds` says how many there are.
  explicit AllgatherBackwards(std::string_view name, int (*rounds)(const Shape& shape) = nullptr);

  void write(const Shape& shape, int rank, ScheduleBuilder& schedule) const;

 private:
  const Algorithm& allgather_;
  int (*rounds_)(const Shape& shape);
};

}  // namespace toccata
