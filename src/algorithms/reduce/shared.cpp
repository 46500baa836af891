// Reduction in the shared memory of a node. There are two forms:
// - in slices: every rank publishes its contribution. Rank r reduces slice r of all contributions
//   in place and publishes the result for the root.
// - whole, for short messages: every rank publishes its contribution, and the root reduces all.
// [slices: jain2018, section III; whole: graham2008, section 3]
//   slices   rounds 2   copies per rank p-1 slices and 1 into shared memory; reduces p-1 slices
//   whole    rounds 1   copies per rank 1 message into shared memory; the root reduces p-1 messages
//
//   p = 4, root 0, slices   rank 0             rank 1                ...
//     publish               b0 c0 d0           a1 c1 d1
//     reduce                a0∘a1∘a2∘a3        b = b0∘b1∘b2∘b3
//     publish                                  b
//     read                  b c d

#include "writing/shared.h"

#include "patterns/circulant.h"

namespace toccata::algorithms::reduce {

static void whole(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  if (rank != shape.root) {
    schedule.publish(shape.root, send(0));
    return;
  }
  const BlockRange result = schedule.scratch({send(0)});
  combine_published(schedule, shape.p, rank, send(0), result);
  schedule.copy(result, recv(0));
}

static void slices(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BlockRange result = schedule.scratch({send(rank)});
  schedule.round();
  publish_slices(schedule, shape.p, rank);
  combine_published(schedule, shape.p, rank, send(rank), result);

  if (rank == shape.root) schedule.copy(result, recv(rank));
  schedule.round();
  if (rank != shape.root) {
    schedule.publish(shape.root, result);
    return;
  }
  const Circulant ranks{shape.p, rank};
  for (int i = 1; i < shape.p; ++i) schedule.read(ranks.above(i), recv(ranks.above(i)));
}

static Cost claim(const Shape& shape) {
  const int p = shape.p;
  Cost cost{.copied = combining_copies(p) + 1, .reduced = p - 1};
  if (p > 1) cost.rounds = shape.parts == 1 ? 1 : 2;
  if (p > 1) cost.messages = cost.sent = shape.parts == 1 ? 1 : p;
  return cost;
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::reduce,
    .summary =
        "through the shared memory of a node; each rank reduces a slice, or the root everything",
    .citation = "jain2018, section III",
    .claim = claim,
    .parameters = {shared_reducers()},
    .ordered = true,
    .reproducible = true,
    .publishes = true,
    .parts = shared_parts,
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          shape.parts == 1 ? whole(shape, rank, schedule) : slices(shape, rank, schedule);
        },
};

}  // namespace toccata::algorithms::reduce
