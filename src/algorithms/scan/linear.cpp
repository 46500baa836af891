// Scan along the ranks: each rank adds its contribution to the sum of the lower ranks, and forwards
// the result.
// [sanders2006]   rounds p - 1   cost (p-1)·(α + n·(β + γ))
//
//   p = 4    0>1 a    1>2 a∘b    2>3 a∘b∘c

#include "writing/algorithm.h"

namespace toccata::algorithms::scan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round().copy(send(0), recv(0));
  for (int before = 1; before < rank; ++before) schedule.round();
  if (rank > 0) {
    const BlockRange below = schedule.scratch({send(0)});
    schedule.round().recv(rank - 1, below).reduce(below, recv(0));
  }
  if (rank < shape.p - 1) schedule.round().send(rank + 1, recv(0));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = 1};
  return {.rounds = shape.p - 1, .messages = 1, .sent = 1, .copied = 1, .reduced = 1};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::scan,
    .summary = "from rank to rank: p-1 rounds, one message each",
    .citation = "sanders2006",
    .claim = claim,
    .ordered = true,
    .write = write,
};

}  // namespace toccata::algorithms::scan
