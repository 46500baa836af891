// Barrier in the shared memory of a node: every rank raises a flag, and waits for those of all
// others.
// [graham2008, section 3]   rounds 1
//
//   p = 4   rank 0: raise, then wait for 1 2 3

#include "writing/shared.h"

#include "patterns/circulant.h"

namespace toccata::algorithms::barrier {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round();
  publish_to_all(schedule, shape.p, rank, send(0, 0));
  for (int i = 1; i < shape.p; ++i) schedule.read(ranks.above(i), recv(0, 0));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0, .messages = others};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::barrier,
    .summary = "one flag per rank in the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::barrier
