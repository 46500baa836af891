// Allreduce as reduce_scatter/circulant on p parts of the vector, then allgather/circulant.
// [traff2024b]   rounds 2·⌈log2 p⌉   cost 2·⌈log2 p⌉·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
//   p = 5, rank 0 has the sums of parts    A    A E    A D E    A B C D E

#include "patterns/arithmetic.h"
#include "writing/reduce_scatter_allgather.h"

namespace toccata::algorithms::allreduce {

static ReduceScatterAllgather halves() { return ReduceScatterAllgather("circulant"); }

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p), others = shape.p - 1;
  return {.rounds = 2 * rounds,
          .messages = 2 * rounds,
          .sent = 2 * others,
          .copied = 2,
          .reduced = others};
}

extern const Algorithm circulant{
    .name = "circulant",
    .collective = toccata::allreduce,
    .summary =
        "2⌈log2 p⌉ rounds for any p; a rank sends 2(p-1)/p of the message; for long messages",
    .citation = "traff2024b",
    .claim = claim,
    .parts = [](const Shape& shape) { return halves().parts(shape); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { halves().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::allreduce
