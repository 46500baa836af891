// Broadcast in the shared memory of a node: the root publishes the message once, and all others
// read it there.
// [graham2008, section 3]   rounds 1
//               copies 1 of the root into shared memory, 1 per rank out of it
//
//   p = 4, root 0   rank 0: publish A   ranks 1 2 3: read A

#include "writing/shared.h"

namespace toccata::algorithms::bcast {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank == shape.root)
    publish_to_all(schedule, shape.p, rank, recv(0));
  else
    schedule.read(shape.root, recv(0));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0, .messages = others, .sent = others};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::bcast,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::bcast
