// Reduce up a k-nomial tree of the ranks by where they run: bcast/locality_knomial played
// backwards. [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·(α +
// (k-1)·n·(β + γ))
//
//   p = 4, k = 2, ranks on nodes 0 2 | 1 3, root 0   round 0: 2>0  3>1    round 1: 1>0

#include "algorithms/registry.h"
#include "patterns/knomial.h"
#include "schedule/backwards.h"

namespace toccata::algorithms::reduce {

static const Parameter radix =
    number("radix", "k: factor by which the number of remaining ranks shrinks per round", 2,
           1 << 20, 4, {2, 4});

static const Algorithm& spreading() { return *find_algorithm(toccata::bcast, "locality_knomial"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = Knomial::of(shape.p, rank, shape.root, shape.parameters[radix]);
  schedule.then(collecting(spreading().schedule(shape, rank), tree.levels(), 0, tree.is_root()));
}

extern const Algorithm locality_knomial{
    .name = "locality_knomial",
    .collective = toccata::reduce,
    .summary = "a k-nomial tree whose short edges are inside nodes; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .parameters = {radix},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce
