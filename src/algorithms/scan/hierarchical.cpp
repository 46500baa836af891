// Scan by levels. A run is a sequence of consecutive ranks on one node. There is a scan inside
// every run, and an exclusive scan of the runs' contributions among their last ranks. Then the
// result of all earlier runs is added inside each run. The same applies on all levels.
// [traff2020, on scan]   r nodes of s consecutive ranks   rounds 2·⌈log2 s⌉ + ⌈log2 r⌉
//
//   4 ranks on nodes 0 1 | 2 3     inside          between    inside
//                                  0>1 a   2>3 c   1>3 ab     3>2 ab
//
// If ranks are scattered over the nodes, there are many short runs. The order is kept on any
// placement.

#include "writing/scan_by_levels.h"

namespace toccata::algorithms::scan {

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::scan,
    .summary = "scan of consecutive ranks of a node, exscan of their sums, added to each rank",
    .citation = "traff2020, on scan",
    .claim = [](const Shape& shape) { return ScanByLevels::claim(shape, toccata::scan); },
    .parameters = {Levels::which()},
    .ordered = true,
    .by_placement = true,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { ScanByLevels(shape, rank, schedule).inclusive(); },
};

}  // namespace toccata::algorithms::scan
