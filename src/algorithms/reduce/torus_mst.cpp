// Reduce up the minimum spanning tree of a torus: bcast/torus_mst in reverse.
// [chan2006, section 4.1.4]   rounds about ⌈log_2N+1 p⌉   cost rounds·(α + n·β + 2N·n·γ)
//
// The ranks of a slab are not consecutive, so the order of the ranks is not kept.

#include "schedule/backwards.h"
#include "writing/registry.h"
#include "writing/torus.h"

namespace toccata::algorithms::reduce {

static const Algorithm& downwards() { return *find_algorithm(toccata::bcast, "torus_mst"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(collecting(downwards().schedule(shape, rank), tree_rounds(shape), 0,
                           rank == shape.root ? 1 : 0));
}

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<int> rounds = thirds(shape);
  if (!rounds) return {};
  const int one = shape.p > 1 ? 1 : 0;
  return Cost{*rounds, one, one, 1, 2 * *rounds};
}

extern const Algorithm torus_mst{
    .name = "torus_mst",
    .collective = toccata::reduce,
    .summary = "about log_(2N+1) p rounds over 2N links of an N-D torus; for short messages",
    .citation = "chan2006, section 4.1.4",
    .claim = claim,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce
