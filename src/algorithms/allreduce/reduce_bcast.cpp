// Allreduce as reduce/binomial to rank 0, then bcast/binomial.
// [thakur2005, on allreduce]   rounds 2·⌈log2 p⌉   cost ⌈log2 p⌉·(2·α + 2·n·β + n·γ)
//
//   p = 4   1>0 3>2    2>0    0>2    0>1 2>3

#include "patterns/arithmetic.h"
#include "writing/registry.h"

namespace toccata::algorithms::allreduce {

static const Algorithm& up() { return *find_algorithm(toccata::reduce, "binomial"); }
static const Algorithm& down() { return *find_algorithm(toccata::bcast, "binomial"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(up().schedule(up().complete({shape.p}), rank), 1 + ceil_log2(shape.p))
      .then(down().schedule(down().complete({shape.p}), rank));
}

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p);
  return {.rounds = 2 * rounds, .messages = rounds, .sent = rounds, .copied = 1, .reduced = rounds};
}

extern const Algorithm reduce_bcast{
    .name = "reduce_bcast",
    .collective = toccata::allreduce,
    .summary = "a reduce to rank 0, then a broadcast; for few ranks",
    .citation = "thakur2005, on allreduce",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
