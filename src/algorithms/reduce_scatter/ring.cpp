// Reduce-scatter around a ring: the sum for rank r starts at rank r + 1, and every rank adds its
// contribution. After p-1 rounds, the sum arrives at rank r. Chan et al. call this a bucket.
// [patarasuk2009, section 4]   rounds p-1   cost (p-1)·α + (p-1)/p·n·(β + γ)
//
//   p = 4, rank 0 forwards          d    c    b          a is its own
//   with the operands of            0    30   230        1230
//
// The ranks are combined in cyclic order, but not from rank 0 on, so operations must commute.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ring{shape.p, rank};
  const int rounds = shape.p - 1;
  // Round i brings the sum for the rank i + 2 below.
  const BlockRange sums = schedule.scratch(circular(Buffer::send, rank - 2, rounds, shape.p, -1));
  BlockRange sum = send(ring.below(1));
  for (int i = 0; i < rounds; ++i) {
    schedule.round().send(ring.above(1), sum);
    sum = {Buffer::scratch, sums.first + i};
    schedule.recv(ring.below(1), sum);
    if (i < rounds - 1) schedule.reduce(send(ring.below(i + 2)), sum);
  }
  if (rounds == 0) schedule.round();
  schedule.copy(send(rank), recv(0));
  if (rounds > 0) schedule.reduce(sum, recv(0));
}

static Cost claim(const Shape& shape) {
  const int rounds = shape.p - 1;
  return {.rounds = rounds, .messages = rounds, .sent = rounds, .copied = 1, .reduced = rounds};
}

extern const Algorithm ring{
    .name = "ring",
    .collective = toccata::reduce_scatter,
    .summary = "p-1 rounds between neighbours; for long messages",
    .citation = "patarasuk2009, section 4",
    .claim = claim,
    .pattern = "ring",
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
