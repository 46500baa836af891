// All-to-all in pairs: in round i, every rank sends to one rank and receives from one, so no rank
// is overloaded. If p is a power of two, ranks swap with rank XOR i. Otherwise, they send to the
// rank i above and receive from the rank i below.
// [thakur2005, section 4.2]   rounds p-1   cost (p-1)·α + (p-1)/p·n·β
//
//   p = 4, swaps   0-1 2-3    0-2 1-3    0-3 1-2
//   p = 3, sends   0>1>2>0    0>2>1>0

#include "patterns/circulant.h"
#include "patterns/hypercube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const Hypercube cube{rank};
  const bool swap = is_power_of_two(shape.p);
  schedule.round().copy(send(rank), recv(rank));
  for (int i = 1; i < shape.p; ++i) {
    const int to = swap ? cube.across(i) : ranks.above(i);
    const int from = swap ? cube.across(i) : ranks.below(i);
    schedule.round().send(to, send(to)).recv(from, recv(from));
  }
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p - 1, .messages = shape.p - 1, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm pairwise{
    .name = "pairwise",
    .collective = toccata::alltoall,
    .summary = "p-1 rounds; a rank sends and receives one message in each; for long messages",
    .citation = "thakur2005, section 4.2",
    .claim = claim,
    .pattern = "uniform",
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
