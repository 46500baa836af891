// Gather at once: every rank sends its block to the root, which receives them all in one round.
// [chan2006, section 2]   rounds 1   cost α + (p-1)·o + (p-1)/p·n·β
//
//   p = 4, root 0   1>0 2>0 3>0
//
// Only the root needs the sizes of other ranks' blocks, so this algorithm also serves gatherv.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::gather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank != shape.root) {
    schedule.send(shape.root, send(0));
    return;
  }
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.recv(ranks.above(i), recv(ranks.above(i)));
  schedule.copy(send(0), recv(rank));
}

static Cost claim(const Shape& shape) {
  const int one = shape.p > 1 ? 1 : 0;
  return {.rounds = one, .messages = one, .sent = one, .copied = 1};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::gather,
    .summary = "all p-1 messages to the root at once; for long messages and gatherv",
    .citation = "chan2006, section 2",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::gather
