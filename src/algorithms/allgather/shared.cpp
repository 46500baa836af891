// Allgather in the shared memory of a node: every rank publishes its block once, and all others
// read it there.
// [graham2008, section 3]   rounds 1   copies per rank 1 into shared memory, p-1 out of it
//
//   p = 4      rank 0   rank 1   rank 2   rank 3
//   publish    A        B        C        D
//   read       B C D    C D A    D A B    A B C

#include "writing/shared.h"

#include "patterns/circulant.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round();
  publish_to_all(schedule, shape.p, rank, send(0));
  for (int i = 1; i < shape.p; ++i) schedule.read(ranks.above(i), recv(ranks.above(i)));
  schedule.copy(send(0), recv(rank));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0, .messages = others, .sent = others, .copied = 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::allgather,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
