// All-to-all in the shared memory of a node: every rank publishes its blocks once, and every other
// rank reads the block for itself there.
// [graham2008, section 3]   rounds 1   copies per rank p-1 into shared memory, p-1 out of it
//
//   p = 4      rank 0        rank 1        rank 2        rank 3
//   publish    01 02 03      10 12 13      20 21 23      30 31 32
//   read       10 20 30      21 31 01      32 02 12      03 13 23

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round();
  for (int i = 1; i < shape.p; ++i) {
    const int peer = ranks.above(i);
    schedule.publish(peer, send(peer)).read(peer, recv(peer));
  }
  schedule.copy(send(rank), recv(rank));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0, .messages = others, .sent = others, .copied = 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::alltoall,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
