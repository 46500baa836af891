// Reduce-scatter on a torus by buckets: allgather/torus_bucket in reverse.
// [chan2006, section 4.2.4]   rounds d-N, d the sum of the dimensions
//                             cost (d-N)·α + (D-1)/D·n·β + (p-1)/p·n·γ, D the shortest dimension

#include "writing/allgather_backwards.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() { return AllgatherBackwards("torus_bucket"); }

extern const Algorithm torus_bucket{
    .name = "torus_bucket",
    .collective = toccata::reduce_scatter,
    .summary = "bucket algorithm in every dimension of an N-D torus, over N links at a time",
    .citation = "chan2006, section 4.2.4",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .by_grid = true,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
