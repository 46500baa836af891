// Allreduce on a torus for long messages: reduce-scatter, then allgather, with a bucket in every
// dimension. Between the two, every rank has 1/p of the result.
// [chan2006, section 4.2.4]   rounds 2(d-N), d the sum of the dimensions
//                             cost 2(d-N)·α + 2(D-1)/D·n·β + (p-1)/p·n·γ, D the shortest dimension

#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("torus_bucket"); }

extern const Algorithm torus_long{
    .name = "torus_long",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter and allgather by the bucket algorithm on a torus; for long messages",
    .citation = "chan2006, section 4.2.4",
    .claim = [](const Shape& shape) { return halves().claim(shape); },
    .by_grid = true,
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
