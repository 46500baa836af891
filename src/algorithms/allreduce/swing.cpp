// Allreduce by Swing on a torus: reduce_scatter/swing on p parts of the vector, then
// allgather/swing.
// [desensi2024]   rounds 2·log2 p   cost 2·log2 p·α + 2·Ξ·(p-1)/p·n/2N·β + (p-1)/p·n·γ
//
// Ξ, and dimensions that are not powers of two, are as in allgather/swing.

#include "writing/reduce_scatter_allgather.h"
#include "writing/torus.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("swing", doubling_rounds); }

extern const Algorithm swing{
    .name = "swing",
    .collective = toccata::allreduce,
    .summary = "2·log2 p rounds on a torus over short distances; for medium messages",
    .citation = "desensi2024",
    .claim = [](const Shape& shape) { return halves().claim(shape); },
    .by_grid = true,
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
