// Allreduce as reduce_scatter/bine on p parts of the vector, then allgather/bine.
// [desensi2025; desensi2024]   rounds 2·log2 p, or 2·⌊log2 p⌋ + 4
//             cost rounds·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ, twice that for folded pairs
//
//   p = 4, rank 0 has the sums of parts    A . . D    A    A . . D    A B C D

#include "patterns/folded_cube.h"
#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() {
  return ReduceScatterAllgather("bine",
                                [](const Shape& shape) { return gathering_rounds({shape.p}); });
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::allreduce,
    .summary = "2·log2 p rounds over short distances; most data go to the nearest ranks; for any p",
    .citation = "desensi2025",
    .claim = [](const Shape& shape) { return halves().claim(shape); },
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
