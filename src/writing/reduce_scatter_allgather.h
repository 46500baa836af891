#pragma once

#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// An allreduce in two halves: a reduce-scatter, after which every rank has 1/p of the result, and
// the allgather of the same name.
//
//   p = 4, rank 1    a b c d    . B . .    A B C D
class ReduceScatterAllgather {
 public:
  // Both algorithms must exist. If ranks have different numbers of rounds, `rounds` must return the
  // maximum of a half, which is the same for both halves.
  explicit ReduceScatterAllgather(std::string_view name,
                                  int (*rounds)(const Shape& shape) = nullptr);

  int parts(const Shape& shape) const;
  void write(const Shape& shape, int rank, ScheduleBuilder& schedule) const;
  // The sum of the claims of both halves, if they have any.
  std::optional<Cost> claim(const Shape& shape) const;

 private:
  // The shape of either half.
  Shape half(const Shape& shape) const;

  const Algorithm& reduce_scatter_;
  const Algorithm& allgather_;
  int (*rounds_)(const Shape& shape);
};

}  // namespace toccata
