// Broadcast at once: the root sends every rank the message in one round.
// [chan2006, section 2]   rounds 1   cost α + (p-1)·o + (p-1)·n·β
//
//   p = 4, root 0   0>1 0>2 0>3

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::bcast {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank != shape.root) {
    schedule.recv(shape.root, recv(0));
    return;
  }
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.send(ranks.above(i), recv(0));
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p > 1 ? 1 : 0, .messages = shape.p - 1, .sent = shape.p - 1};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::bcast,
    .summary = "the root sends all p-1 messages at once; for few nearby ranks",
    .citation = "chan2006, section 2",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::bcast
