// Gather up the minimum spanning tree of a torus: scatter/torus_mst in reverse.
// [chan2006, section 4.1.5]   rounds about ⌈log_2N+1 p⌉   cost rounds·α + (p-1)/p·n/2N·β

#include "schedule/backwards.h"
#include "writing/registry.h"
#include "writing/torus.h"

namespace toccata::algorithms::gather {

static const Algorithm& downwards() { return *find_algorithm(toccata::scatter, "torus_mst"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(backwards(downwards().schedule(shape, rank), tree_rounds(shape)));
}

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> rounds = thirds(shape);
  if (!rounds) return {};
  const int one = shape.p > 1 ? 1 : 0;
  return Cost{*rounds, one, shape.p / 3, 1};
}

extern const Algorithm torus_mst{
    .name = "torus_mst",
    .collective = toccata::gather,
    .summary = "about log_(2N+1) p rounds over 2N links of an N-D torus, slab by slab",
    .citation = "chan2006, section 4.1.5",
    .claim = claim,
    .relays = true,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::gather
