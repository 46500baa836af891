// Reduce-scatter by recursive multiplying: allgather/recursive_multiplying in reverse.
// [ruefenacht2017]   rounds logk p, or ⌊logk p⌋ + 3 at most
//                    cost rounds·α + (p-1)/p·n·(β + γ), twice that for folded pairs
//
//   p = 6, k = 3, groups    0-3 1-4 2-5    0-1-2 3-4-5
//   rank 0 is to reduce     A B C . . .    A . . . . .

#include "patterns/folded_cube.h"
#include "writing/allgather_backwards.h"

namespace toccata::algorithms::reduce_scatter {

static const Parameter radix = number(
    "radix", "k: factor by which the data to reduce shrink per round", 2, 1 << 20, 4, {2, 3, 4});

static AllgatherBackwards backwards() {
  return AllgatherBackwards("recursive_multiplying", [](const Shape& shape) {
    return gathering_rounds({shape.p, 0, shape.parameters[radix]});
  });
}

extern const Algorithm recursive_multiplying{
    .name = "recursive_multiplying",
    .collective = toccata::reduce_scatter,
    .summary =
        "about logk p rounds of k-1 concurrent messages; data shrink by k per round; for any p",
    .citation = "ruefenacht2017",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .parameters = {radix},
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
