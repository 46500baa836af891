// Broadcast down a k-nomial tree: in every round, all ranks that have the message send it to k - 1
// others at once. So the number of ranks that have it multiplies by k.
// [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·(α + (k-1)·n·β)
//
//   p = 9, k = 3, root 0   round 0: 0>3 0>6    round 1: 0>1 0>2  3>4 3>5  6>7 6>8

#include "patterns/knomial.h"

#include "writing/algorithm.h"

namespace toccata::algorithms::bcast {

static const Parameter radix =
    number("radix", "k: factor by which the number of ranks with the data grows per round", 2,
           1 << 20, 4, {3, 4});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = Knomial::of(shape.p, rank, shape.root, shape.parameters[radix]);
  for (int weight = tree.farthest(); weight > 0; weight /= tree.radix) {
    schedule.round();
    if (weight == tree.reach()) schedule.recv(tree.parent(), recv(0));
    for (int i = 1; i <= tree.children(weight); ++i) schedule.send(tree.child(i * weight), recv(0));
  }
}

static Cost claim(const Shape& shape) {
  const Knomial tree{shape.p, 0, 0, shape.parameters[radix]};
  return {.rounds = tree.levels(), .messages = tree.children(), .sent = tree.children()};
}

extern const Algorithm knomial{
    .name = "knomial",
    .collective = toccata::bcast,
    .summary = "⌈logk p⌉ rounds of up to k-1 concurrent messages; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::bcast
