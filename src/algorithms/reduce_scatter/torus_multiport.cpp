// Reduce-scatter on a torus over all 2N links: allgather/torus_multiport played backwards.
// [jain2010]   rounds d-N, d the sum of the dimensions
//              cost (d-N)·α + (p-1)/p·n/2N·β + (p-1)/p·n·γ   on equal dimensions
//
// What reaches a rank has come round the rings from everywhere: the order of ranks is not kept.

#include "algorithms/algorithm.h"
#include "algorithms/torus.h"
#include "schedule/backwards.h"

namespace toccata::algorithms {

namespace allgather {
extern const Algorithm torus_multiport;
}

namespace reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Schedule spreading = allgather::torus_multiport.schedule(shape, rank);
  schedule.then(collecting(spreading, spreading.rounds(), rank * shape.parts, shape.parts));
}

static Cost cost(const Shape& shape) {
  Cost cost = allgather::torus_multiport.cost(shape);
  cost.reduced = cost.sent;
  return cost;
}

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::reduce_scatter,
    .summary = "each block in 2N parts, each another way round the torus; all links busy",
    .citation = "jain2010",
    .by_grid = true,
    .parts = ways_round,
    .cost = cost,
    .write = write,
};

}  // namespace reduce_scatter
}  // namespace toccata::algorithms
