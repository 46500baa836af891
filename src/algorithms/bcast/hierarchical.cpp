// Broadcast by levels: among the leaders, then inside each region, on all levels. If the message is
// cut into segments, one segment is broadcast inside the regions while the leaders receive the
// next.
// [karonis2000]   r nodes of s ranks, binomial   rounds ⌈log2 r⌉ + ⌈log2 s⌉
//                 cost ⌈log2 r⌉·(α + n·β) between nodes, ⌈log2 s⌉·(α + n·β) inside
//
//   4 ranks on nodes 0 1 | 2 3, root 3    among leaders 3>0    inside 0>1 3>2

#include "writing/broadcast_by_levels.h"
#include "writing/levels.h"

namespace toccata::algorithms::bcast {

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::bcast,
    .summary = "among leaders, then inside each region, level by level",
    .citation = "karonis2000",
    .claim = [](const Shape& shape) { return BroadcastByLevels(shape).claim(); },
    .parameters = {Levels::which(), BroadcastByLevels::between(), BroadcastByLevels::inside(),
                   BroadcastByLevels::segments()},
    .by_placement = true,
    .parts = [](const Shape& shape) { return shape.parameters[BroadcastByLevels::segments()]; },
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          schedule.then(BroadcastByLevels(shape).schedule(rank));
        },
};

}  // namespace toccata::algorithms::bcast
