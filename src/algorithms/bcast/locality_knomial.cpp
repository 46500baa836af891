// Broadcast down a k-nomial tree of the ranks by where they run: the last rounds, in which most
// messages are sent, stay inside nodes and under switches, and as few messages as the radix allows
// share the links further out. Without leaders, it has no more rounds than bcast/knomial.
// [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·(α + (k-1)·n·β)
//
//   p = 4, k = 2, ranks on nodes 0 2 | 1 3, root 0   round 0: 0>1    round 1: 0>2  1>3

#include <algorithm>

#include "algorithms/flat.h"
#include "patterns/arithmetic.h"
#include "schedule/combinators.h"
#include "topology/placement.h"

namespace toccata::algorithms::bcast {

static const Parameter radix =
    number("radix", "k: factor by which the number of ranks with the data grows per round", 2,
           1 << 20, 4, {2, 4});

// The root, then its node, then the nodes under its switch, and so on: sorted by the regions of
// every level, the outermost at last, as those that are equal keep their order.
static std::vector<int> outwards(const Shape& shape) {
  std::vector<int> ranks(shape.p);
  for (int i = 0; i < shape.p; ++i) ranks[i] = wrap(shape.root + i, shape.p);
  if (shape.placement == nullptr) return ranks;
  for (int level = shape.placement->machine().levels() - 1; level >= 0; --level) {
    const Regions& regions = shape.placement->regions(level);
    std::ranges::stable_sort(ranks, {}, [&](int rank) {
      return wrap(regions.of(rank) - regions.of(shape.root), regions.number());
    });
  }
  return ranks;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const std::vector<int> ranks = outwards(shape);
  const auto role = static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
  const Flat tree(toccata::bcast, "knomial", shape.parameters[radix]);
  schedule.then(relabel(ranks, tree.schedule(shape.p, role), {}));
}

extern const Algorithm locality_knomial{
    .name = "locality_knomial",
    .collective = toccata::bcast,
    .summary = "a k-nomial tree whose short edges are inside nodes; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .parameters = {radix},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::bcast
