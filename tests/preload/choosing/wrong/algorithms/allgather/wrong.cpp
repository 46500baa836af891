// Allgather with one message per rank: every rank sends its block only to the next one, so most
// blocks never arrive. It is the cheapest algorithm in every model.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

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
