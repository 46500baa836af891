// Reduce-scatter in ⌈log2 p⌉ rounds, in which every rank sends the minimum of bytes:
// allgather/circulant in reverse.
// [traff2024b]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·(β + γ)
//
//   p = 5, rank 0 sends partial sums for    over 3: b c    2: d    1: e
//
// No other reduce-scatter has the minimum of rounds and of bytes for all p. The order of the ranks
// is not kept.

#include "patterns/arithmetic.h"
#include "writing/allgather_backwards.h"

namespace toccata::algorithms::reduce_scatter {

static AllgatherBackwards backwards() { return AllgatherBackwards("circulant"); }

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p), others = shape.p - 1;
  return {.rounds = rounds, .messages = rounds, .sent = others, .copied = 1, .reduced = others};
}

extern const Algorithm circulant{
    .name = "circulant",
    .collective = toccata::reduce_scatter,
    .summary = "⌈log2 p⌉ rounds and p-1 blocks for any p, both the minimum",
    .citation = "traff2024b",
    .claim = claim,
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
