// Reduce up a k-nomial tree: bcast/knomial in reverse.
// [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·(α + (k-1)·n·(β + γ))
//
//   p = 9, k = 3, root 0   round 0: 1>0 2>0  4>3 5>3  7>6 8>6    round 1: 3>0 6>0
//
// Simultaneous contributions are combined in any order, so the order of the ranks is not kept.

#include "patterns/knomial.h"

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce {

static const Parameter radix =
    number("radix", "k: factor by which the number of remaining ranks shrinks per round", 2,
           1 << 20, 4, {3, 4});

static const Algorithm& spreading() { return *find_algorithm(toccata::bcast, "knomial"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = Knomial::of(shape.p, rank, shape.root, shape.parameters[radix]);
  schedule.then(collecting(spreading().schedule(shape, rank), tree.levels(), 0, tree.is_root()));
}

static Cost claim(const Shape& shape) {
  const Knomial tree{shape.p, 0, 0, shape.parameters[radix]};
  const int one = shape.p > 1 ? 1 : 0;
  return {.rounds = tree.levels(),
          .messages = one,
          .sent = one,
          .copied = 1,
          .reduced = tree.children()};
}

extern const Algorithm knomial{
    .name = "knomial",
    .collective = toccata::reduce,
    .summary = "⌈logk p⌉ rounds of up to k-1 concurrent messages; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::reduce
