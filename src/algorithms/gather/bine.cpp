// Gather up a Bine tree: scatter/bine in reverse.
// [desensi2025]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β
//
//   p = 8, root 0   round 0: 1>0 b 6>7 g ...    round 1: 7>0 g h 4>3 e f    round 2: 3>0 c d e f

#include "patterns/bine.h"

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::gather {

static const Algorithm& spreading() { return *find_algorithm(toccata::scatter, "bine"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int rounds = BineTree::of(shape.p, rank, shape.root).rounds();
  schedule.then(backwards(spreading().schedule(shape, rank), 1 + rounds));
}

// The root's farthest child has half of all places.
static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p), half = floor_log2(shape.p) - 1;
  const BineTree bine = BineTree::of(shape.p, shape.root, shape.root);
  const int sent = shape.p > 1 ? bine.subtree(1 << half, half).count : 0;
  return {.rounds = rounds, .messages = shape.p > 1 ? 1 : 0, .sent = sent, .copied = 1};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::gather,
    .summary = "⌈log2 p⌉ rounds over distances a third shorter than binomial's; for short messages",
    .citation = "desensi2025",
    .claim = claim,
    .relays = true,
    .write = write,
};

}  // namespace toccata::algorithms::gather
