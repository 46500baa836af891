// Allgather around a ring: in every round, each rank forwards the block that it received in the
// previous round.
// [thakur2005, section 4.1]   rounds p-1   cost (p-1)·α + (p-1)/p·n·β
//
//   p = 4, what rank 0 holds   A . . .    A . . D    A . C D    A B C D
//
// Only neighbours communicate, so no other algorithm is as local, but none needs as many rounds.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ring{shape.p, rank};
  schedule.round().copy(send(0), recv(rank));
  for (int i = 0; i < shape.p - 1; ++i)
    schedule.round()
        .send(ring.above(1), recv(ring.below(i)))
        .recv(ring.below(1), recv(ring.below(i + 1)));
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p - 1, .messages = shape.p - 1, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm ring{
    .name = "ring",
    .collective = toccata::allgather,
    .summary = "p-1 rounds between neighbours; for long messages",
    .citation = "thakur2005, section 4.1",
    .claim = claim,
    .pattern = "ring",
    .write = write,
};

}  // namespace toccata::algorithms::allgather
