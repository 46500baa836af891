// Allreduce by Trivance on a torus: reduce_scatter/trivance on p parts of the vector, then
// allgather/trivance.
// [juerss2026]   rounds 2·Σ⌈log3 D⌉   cost rounds·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
// The paper also has a form in half of these rounds, which exchanges whole vectors. There, every
// rank adds in another order, so ranks would have different bits. allreduce/recursive_multiplying
// with radix 3 has the same number of rounds, and the same bits on all ranks.

#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("trivance"); }

extern const Algorithm trivance{
    .name = "trivance",
    .collective = toccata::allreduce,
    .summary = "2·log3 p rounds on a torus, to both sides at once; for short and medium messages",
    .citation = "juerss2026",
    .claim = [](const Shape& shape) { return halves().claim(shape); },
    .by_grid = true,
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
