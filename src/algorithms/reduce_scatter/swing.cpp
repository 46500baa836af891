// Reduce-scatter by Swing on a torus: allgather/swing in reverse, over distances that double.
// [desensi2024]   rounds log2 p   cost log2 p·α + Ξ·(p-1)/p·n/2N·β + (p-1)/p·n·γ
//
//   ring of 8, part 0   0-1 2-3 4-5 6-7    0-7 1-2 3-4 5-6    0-3 1-6 2-5 4-7
//
// Ξ, and dimensions that are not powers of two, are as in allgather/swing.

#include "writing/algorithm.h"
#include "writing/allgather_backwards.h"
#include "writing/torus.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() { return AllgatherBackwards("swing", doubling_rounds); }

extern const Algorithm swing{
    .name = "swing",
    .collective = toccata::reduce_scatter,
    .summary = "log2 p rounds on a torus over short distances, all links busy; for medium messages",
    .citation = "desensi2024",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .by_grid = true,
    .parts = ways_round,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
