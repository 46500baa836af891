// All-to-all with a limited number of messages in flight: round after round, every rank sends to
// the next few ranks above and receives from the next few ranks below.
// [thakur2005, section 4.2; with the limit as in MPICH]
//               rounds ⌈(p-1)/m⌉ for m messages in flight   cost ⌈(p-1)/m⌉·α + (p-1)/p·n·β
//
//   p = 6, m = 2, rank 0 sends to    1 2    3 4    5
//
// With m = 1, it is alltoall/pairwise for p that is not a power of two. With m = p-1, it is
// alltoall/linear.

#include <algorithm>

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static const Parameter in_flight = number(
    "in_flight", "m: messages that a rank sends and receives at a time", 1, 1 << 20, 32, {2, 32});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const int m = shape.parameters[in_flight];
  schedule.round().copy(send(rank), recv(rank));
  for (int i = 1; i < shape.p; ++i) {
    if ((i - 1) % m == 0) schedule.round();
    const int to = ranks.above(i), from = ranks.below(i);
    schedule.send(to, send(to)).recv(from, recv(from));
  }
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1, m = shape.parameters[in_flight];
  return {.rounds = (others + m - 1) / m, .messages = others, .sent = others, .copied = 1};
}

extern const Algorithm spread_out{
    .name = "spread_out",
    .collective = toccata::alltoall,
    .summary = "a limited number of messages in flight; for long messages and many ranks",
    .citation = "thakur2005, section 4.2",
    .claim = claim,
    .parameters = {in_flight},
    .pattern = "uniform",
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
