// Reduce by levels: inside each region to its leader, then among the leaders; bcast/hierarchical in
// reverse. If the message is cut into segments, the leaders combine one segment while the next is
// combined inside the regions.
// [karonis2000]   r nodes of s ranks, binomial   rounds ⌈log2 s⌉ + ⌈log2 r⌉
//
//   4 ranks on nodes 0 1 | 2 3, root 3    inside 1>0 2>3    among leaders 0>3
//
// The ranks of a region need not be consecutive, so the order of the ranks is not kept.

#include "schedule/backwards.h"
#include "writing/broadcast_by_levels.h"
#include "writing/levels.h"

namespace toccata::algorithms::reduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BroadcastByLevels down(shape);
  schedule.then(
      collecting(down.schedule(rank), down.rounds(), 0, rank == shape.root ? shape.parts : 0));
}

// The root reduces what it sends in the broadcast. The other ranks send their result once.
static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<Cost> down = BroadcastByLevels(shape).claim();
  if (!down) return {};
  const int one = shape.p > 1 ? 1 : 0;
  return Cost{down->rounds, one, one, 1, down->sent};
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::reduce,
    .summary = "inside each region, then among leaders, level by level",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), BroadcastByLevels::between(), BroadcastByLevels::inside(),
                   BroadcastByLevels::segments()},
    .by_placement = true,
    .parts = [](const Shape& shape) { return shape.parameters[BroadcastByLevels::segments()]; },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
