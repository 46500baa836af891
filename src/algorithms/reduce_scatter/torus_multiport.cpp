// Reduce-scatter on a torus over all 2N links: allgather/torus_multiport in reverse.
// [jain2010]   rounds d-N, d the sum of the dimensions
//              cost (d-N)·α + (p-1)/p·n/2N·β + (p-1)/p·n·γ

#include "writing/allgather_backwards.h"
#include "writing/torus.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() { return AllgatherBackwards("torus_multiport"); }

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::reduce_scatter,
    .summary = "pieces of each block take 2N ways around an N-D torus; all links equally busy",
    .citation = "jain2010",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .by_grid = true,
    .parts = balanced_pieces,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
