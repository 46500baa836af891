// Scatter in the shared memory of a node: the root publishes all blocks, and each rank reads its
// own.
// [graham2008, section 3]   rounds 1
//               copies p-1 of the root into shared memory, 1 per rank out of it
//
//   p = 4, root 0   rank 0: publish B C D   ranks 1 2 3: read B, C, D

#include "writing/shared.h"

namespace toccata::algorithms::scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank == shape.root) {
    publish_slices(schedule, shape.p, rank);
    schedule.copy(send(rank), recv(0));
  } else {
    schedule.read(shape.root, recv(0));
  }
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0, .messages = others, .sent = others, .copied = 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::scatter,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
