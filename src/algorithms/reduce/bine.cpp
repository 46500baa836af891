// Reduce up a Bine tree: bcast/bine in reverse, so that neighbours are combined first.
// [desensi2025]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·(β + γ))
//
//   p = 8, root 0   round 0: 1>0 6>7 2>3 5>4    round 1: 7>0 4>3    round 2: 3>0
//
// The root combines contributions from above and below alternately, so the order of the ranks is
// not kept.

#include "patterns/bine.h"

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce {

static const Algorithm& spreading() { return *find_algorithm(toccata::bcast, "bine"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int rounds = BineTree::of(shape.p, rank, shape.root).rounds();
  schedule.then(
      collecting(spreading().schedule(shape, rank), rounds, 0, rank == shape.root ? 1 : 0));
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, shape.root};
  const int one = shape.p > 1 ? 1 : 0;
  return {.rounds = ceil_log2(shape.p),
          .messages = one,
          .sent = one,
          .copied = 1,
          .reduced = floor_log2(shape.p) + (cube.in_pair(shape.root) ? 1 : 0)};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::reduce,
    .summary = "⌈log2 p⌉ rounds over distances a third shorter than binomial's; for short messages",
    .citation = "desensi2025",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::reduce
