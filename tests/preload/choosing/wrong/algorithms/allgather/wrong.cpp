// Allgather by one message: every rank sends its block to the next one alone, so that most blocks
// never arrive. No algorithm takes less by any model.

#include "algorithms/algorithm.h"
#include "patterns/circulant.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round();
  if (shape.p > 1)
    schedule.send(ranks.above(1), send(0)).recv(ranks.below(1), recv(ranks.below(1)));
  schedule.copy(send(0), recv(rank));
}

extern const Algorithm wrong{
    .name = "wrong",
    .collective = toccata::allgather,
    .summary = "one message, and most blocks never arrive",
    .citation = "none",
    .write = write,
};

}  // namespace toccata::algorithms::allgather
