// All-to-all with all messages in flight at once. Rank r begins with r+1, so that not all ranks
// send to the same rank first.
// [thakur2005, section 4.2]   rounds 1   cost α + (p-1)·o + (p-1)/p·n·β
//
//   p = 4, in the order of posting   0: 1 2 3    1: 2 3 0    2: 3 0 1    3: 0 1 2

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round().copy(send(rank), recv(rank)).round();
  for (int i = 1; i < shape.p; ++i) {
    const int to = ranks.above(i);
    const int from = ranks.below(i);
    schedule.send(to, send(to)).recv(from, recv(from));
  }
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p > 1 ? 1 : 0, .messages = shape.p - 1, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm linear{
    .name = "linear",
    .collective = toccata::alltoall,
    .summary = "all p-1 messages at once; for medium messages and few ranks",
    .citation = "thakur2005, section 4.2",
    .claim = claim,
    .pattern = "uniform",
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
