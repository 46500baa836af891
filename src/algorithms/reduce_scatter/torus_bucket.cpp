// Reduce-scatter on a torus by buckets: allgather/torus_bucket played backwards.
// [chan2006, section 4.2.4]   rounds d-N, d the sum of the dimensions
//                             cost (d-N)·α + (D-1)/D·n·β + (p-1)/p·n·γ, D the shortest dimension
//
// What reaches a rank has come round the rings from everywhere: the order of ranks is not kept.

#include "algorithms/algorithm.h"
#include "algorithms/torus.h"
#include "schedule/backwards.h"

namespace toccata::algorithms {

namespace allgather {
extern const Algorithm torus_bucket;
}

namespace reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Schedule spreading = allgather::torus_bucket.schedule(shape, rank);
  schedule.then(collecting(spreading, spreading.rounds(), rank * shape.parts, shape.parts));
}

static Cost cost(const Shape& shape) {
  Cost cost = allgather::torus_bucket.cost(shape);
  cost.reduced = cost.sent;
  return cost;
}

extern const Algorithm torus_bucket{
    .name = "torus_bucket",
    .collective = toccata::reduce_scatter,
    .summary = "a bucket in every dimension of the torus, N links at a time",
    .citation = "chan2006, section 4.2.4",
    .by_grid = true,
    .cost = cost,
    .write = write,
};

}  // namespace reduce_scatter
}  // namespace toccata::algorithms
