// Reduce-scatter over a Bine butterfly: allgather/bine in reverse, over distances that double.
// [desensi2025; desensi2024]   rounds log2 p, or ⌊log2 p⌋ + 2
//                              cost rounds·α + (p-1)/p·n·(β + γ), twice that for folded pairs
//
//   p = 8, swaps          0-1 2-3 4-5 6-7    0-7 1-2 3-4 5-6    0-3 1-6 2-5 4-7
//   rank 0 is to reduce   A . . D E . . H    A . . D . . . .    A

#include "patterns/folded_cube.h"
#include "writing/allgather_backwards.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() {
  return AllgatherBackwards("bine", [](const Shape& shape) { return gathering_rounds({shape.p}); });
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::reduce_scatter,
    .summary = "log2 p rounds over short distances; most data go to the nearest ranks; for any p",
    .citation = "desensi2025",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
