// Reduce-scatter by Trivance on a torus: allgather/trivance in reverse, over distances that triple.
// A rank reduces the blocks from both sides in one step, before it sends the sum on.
// [juerss2026]   rounds Σ⌈log3 D⌉ over the dimensions D   cost rounds·α + (p-1)/p·n·(β + γ)
//
//   ring of 9, distances 1 and 3   rank 4 sends blocks for 0 3 6 to 3, for 2 5 8 to 5, keeps 1 4 7

#include "writing/algorithm.h"
#include "writing/allgather_backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() { return AllgatherBackwards("trivance"); }

extern const Algorithm trivance{
    .name = "trivance",
    .collective = toccata::reduce_scatter,
    .summary = "log3 p rounds on a torus, to both sides at once; for short and medium messages",
    .citation = "juerss2026",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .by_grid = true,
    .parts =
        [](const Shape& shape) {
          return find_algorithm(toccata::allgather, "trivance")->parts(shape);
        },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
