// Allgather with one leader per node: ranks send their blocks to their node's leader, and leaders
// exchange these with any flat allgather. Then every leader broadcasts all blocks on its node.
// [mirsadeghi2016, section II]
//               r nodes of s ranks, e.g. binomial and Bruck: rounds 2·⌈log2 s⌉ + ⌈log2 r⌉
//               cost of a leader (⌈log2 s⌉ + ⌈log2 r⌉)·α + ((r-1)/r + ⌈log2 s⌉)·n·β
//
//   4 ranks on nodes 0 1 | 2 3   rank 0  1       rank 2  3
//     gather                     AB..    .B..    ..CD    ...D
//     exchange of leaders        ABCD    .B..    ABCD    ...D
//     broadcast                  ABCD    ABCD    ABCD    ABCD
//
// With several levels, leaders gather to the leaders of the next level, for example leaders of
// sockets to the leader of their node. Without nodes, every rank is a leader.

#include "writing/leaders.h"

namespace toccata::algorithms::allgather {

static Leaders leaders(const Shape& shape) { return Leaders(Levels(shape), shape); }

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::allgather,
    .summary = "gather to one leader per node, allgather among leaders, broadcast",
    .citation = "mirsadeghi2016, section II",
    .claim = [](const Shape& shape) { return leaders(shape).claim(); },
    .parameters = {Levels::which(), Leaders::exchange(), Leaders::local()},
    .by_placement = true,
    .impossible = [](const Shape& shape) { return leaders(shape).why_impossible(); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { leaders(shape).write(rank, schedule); },
};

}  // namespace toccata::algorithms::allgather
