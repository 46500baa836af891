// Allreduce in the shared memory of a node. There are two forms:
// - in slices: every rank publishes its contribution. Rank r reduces slice r of all contributions
//   in place and publishes the result, which all others read.
// - whole, for short messages: every rank publishes its contribution, and reduces all of them.
// [slices: jain2018, section III; whole: graham2008, section 3]
//   slices   rounds 2   copies per rank p-1 slices and 1 into shared memory, p-1 out of it;
//                       reduces p-1
//   whole    rounds 1   copies per rank 1 message into shared memory; reduces p-1 messages
//
//   p = 4, slices   rank 0                rank 1           ...
//     publish       b0 c0 d0              a1 c1 d1
//     reduce        a = a0∘a1∘a2∘a3       b = b0∘b1∘b2∘b3
//     publish       a                     b
//     read          b c d                 a c d
//
// The expression is the standard one, for any placement, so both give the same bits.

#include "writing/shared.h"

#include "patterns/circulant.h"

namespace toccata::algorithms::allreduce {

// The contribution may be in recv (MPI_IN_PLACE) and is read until the end, so the result is copied
// to recv after that.
static void combine(const Shape& shape, int rank, int slice, ScheduleBuilder& schedule) {
  const BlockRange result = schedule.scratch({send(slice)});
  combine_published(schedule, shape.p, rank, send(slice), result);
  schedule.copy(result, recv(slice));
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (shape.parts == 1) {
    publish_to_all(schedule, shape.p, rank, send(0));
    combine(shape, rank, 0, schedule);
    return;
  }
  publish_slices(schedule, shape.p, rank);
  combine(shape, rank, rank, schedule);

  schedule.round();
  publish_to_all(schedule, shape.p, rank, recv(rank));
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.read(ranks.above(i), recv(ranks.above(i)));
}

static Cost claim(const Shape& shape) {
  const int p = shape.p, exchanges = p == 1 ? 0 : shape.parts == 1 ? 1 : 2;
  return {.rounds = exchanges,
          .messages = exchanges * (p - 1),
          .sent = exchanges * (p - 1),
          .copied = combining_copies(p) + 1,
          .reduced = p - 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::allreduce,
    .summary = "through the shared memory of a node; each rank reduces one slice, or everything",
    .citation = "jain2018, section III",
    .claim = claim,
    .parameters = {shared_reducers()},
    .ordered = true,
    .reproducible = true,
    .publishes = true,
    .parts = shared_parts,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
