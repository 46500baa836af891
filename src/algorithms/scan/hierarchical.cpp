// Scan by levels: a scan in every run of ranks on one node, an exclusive scan of the runs'
// contributions among their last ranks; inside each run, the result of all earlier runs is added.
// On all levels.
// [traff2020, on scan]   r nodes of s consecutive ranks   rounds 2·⌈log2 s⌉ + ⌈log2 r⌉
//
//   4 ranks on nodes 0 1 | 2 3     inside          between    inside
//                                  0>1 a   2>3 c   1>3 ab     3>2 ab
//
// Ranks that are scattered over the nodes make many short runs: the order is kept on any placement.

#include "algorithms/scan_by_levels.h"

namespace toccata::algorithms::scan {

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::scan,
    .summary = "scan inside each run of ranks on one node, exscan of the runs' sums, added inside",
    .citation = "traff2020, on scan",
    .parameters = {Levels::which()},
    .ordered = true,
    .by_placement = true,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { ScanByLevels(shape, rank, schedule).inclusive(); },
};

}  // namespace toccata::algorithms::scan
