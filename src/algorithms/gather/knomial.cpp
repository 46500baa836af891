// Gather up a k-nomial tree: scatter/knomial in reverse.
// [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·α + (p-1)/p·n·β
//
//   p = 6, k = 3, root 0   round 0: 1>0 b  2>0 c  4>3 e  5>3 f    round 1: 3>0 d e f

#include "patterns/knomial.h"

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::gather {

static const Parameter radix =
    number("radix", "k: factor by which the number of ranks with blocks shrinks per round", 2,
           1 << 20, 4, {3, 4});

static const Algorithm& spreading() { return *find_algorithm(toccata::scatter, "knomial"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = Knomial::of(shape.p, rank, shape.root, shape.parameters[radix]);
  schedule.then(backwards(spreading().schedule(shape, rank), 1 + tree.levels()));
}

// The first child on one of the levels forwards the most blocks.
static Cost claim(const Shape& shape) {
  const Knomial tree{shape.p, 0, 0, shape.parameters[radix]};
  int sent = 0;
  for (int weight = tree.farthest(); weight > 0; weight /= tree.radix)
    sent = std::max(sent, tree.span(weight));
  return {.rounds = tree.levels(), .messages = shape.p > 1 ? 1 : 0, .sent = sent, .copied = 1};
}

extern const Algorithm knomial{
    .name = "knomial",
    .collective = toccata::gather,
    .summary = "⌈logk p⌉ rounds of up to k-1 concurrent messages; ranks relay; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .claim = claim,
    .parameters = {radix},
    .relays = true,
    .write = write,
};

}  // namespace toccata::algorithms::gather
