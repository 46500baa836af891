// Scatter at once: the root sends every rank its block in one round.
// [chan2006, section 2]   rounds 1   cost α + (p-1)·o + (p-1)/p·n·β
//
//   p = 4, root 0   0>1 0>2 0>3
//
// Only the root needs the sizes of other ranks' blocks, so this algorithm also serves scatterv.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank != shape.root) {
    schedule.recv(shape.root, recv(0));
    return;
  }
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.send(ranks.above(i), send(ranks.above(i)));
  schedule.copy(send(rank), recv(0));
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p > 1 ? 1 : 0, .messages = shape.p - 1, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::scatter,
    .summary = "the root sends all p-1 messages at once; for long messages and scatterv",
    .citation = "chan2006, section 2",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
