// Gather in the shared memory of a node: every rank publishes its block, and the root reads them.
// [graham2008, section 3]   rounds 1
//               copies 1 per rank into shared memory, p-1 of the root out of it
//
//   p = 4, root 0   ranks 1 2 3: publish B C D   rank 0: read B C D

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::gather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank != shape.root) {
    schedule.publish(shape.root, send(0));
    return;
  }
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.read(ranks.above(i), recv(ranks.above(i)));
  schedule.copy(send(0), recv(rank));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = 1};
  return {.rounds = 1, .messages = 1, .sent = 1, .copied = 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::gather,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::gather
