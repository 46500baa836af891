// Reduce-scatter in the shared memory of a node: every rank publishes its contributions. Each rank
// reduces all contributions to its own block in place, by the standard expression.
// [graham2008, section 3]   rounds 1   copies per rank p-1 into shared memory; reduces p-1
//
//   p = 4      rank 0           rank 1           ...
//   publish    b0 c0 d0         a1 c1 d1
//   reduce     a0∘a1∘a2∘a3      b0∘b1∘b2∘b3

#include "writing/shared.h"

namespace toccata::algorithms::reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  publish_slices(schedule, shape.p, rank);
  combine_published(schedule, shape.p, rank, send(rank), recv(0));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0,
          .messages = others,
          .sent = others,
          .copied = combining_copies(shape.p),
          .reduced = others};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::reduce_scatter,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
