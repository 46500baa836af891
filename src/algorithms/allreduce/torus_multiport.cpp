// Allreduce on a torus over all 2N links at a time: reduce-scatter, then allgather, in pieces that
// take 2N routes. Between the two, every rank has 1/p of the result.
// [jain2010]   rounds 2(d-N), d the sum of the dimensions
//              cost 2(d-N)·α + 2(p-1)/p·n/2N·β + (p-1)/p·n·γ

#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("torus_multiport"); }

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter and allgather over all 2N links of an N-D torus; for long messages",
    .citation = "jain2010",
    .claim = [](const Shape& shape) { return halves().claim(shape); },
    .by_grid = true,
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
