// Allreduce around a ring: reduce_scatter/ring on p parts of the vector, then allgather/ring.
// [patarasuk2009, section 4]   rounds 2·(p-1)   cost 2·(p-1)·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
//   p = 4, rank 0 has the sums of part    A    A D    A D C    A B C D

#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("ring"); }

extern const Algorithm ring{
    .name = "ring",
    .collective = toccata::allreduce,
    .summary = "2(p-1) rounds between neighbours; for long messages",
    .citation = "patarasuk2009, section 4",
    .claim =
        [](const Shape& shape) {
          const int others = shape.p - 1;
          return Cost{2 * others, 2 * others, 2 * others, 2, others};
        },
    .pattern = "ring",
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
