// Exclusive scan along the ranks: each rank receives the sum of the lower ranks, adds its own
// contribution, and forwards the result.
// [sanders2006]   rounds p - 1   cost (p-1)·(α + n·(β + γ))
//
//   p = 4    0>1 a    1>2 a∘b    2>3 a∘b∘c

#include "writing/algorithm.h"

namespace toccata::algorithms::exscan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const bool between = rank > 0 && rank < shape.p - 1;
  const BlockRange sum = between ? schedule.scratch({send(0)}) : send(0);
  schedule.round();
  if (between) schedule.copy(send(0), sum);
  for (int before = 1; before < rank; ++before) schedule.round();
  if (rank > 0) schedule.round().recv(rank - 1, recv(0));
  if (between) schedule.reduce(recv(0), sum);
  if (rank < shape.p - 1) schedule.round().send(rank + 1, sum);
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  const int inside = shape.p > 2 ? 1 : 0;
  return {.rounds = shape.p - 1, .messages = 1, .sent = 1, .copied = inside, .reduced = inside};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::exscan,
    .summary = "from rank to rank: p-1 rounds, one message each",
    .citation = "sanders2006",
    .claim = claim,
    .ordered = true,
    .write = write,
};

}  // namespace toccata::algorithms::exscan
