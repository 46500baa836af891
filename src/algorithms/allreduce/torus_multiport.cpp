// Allreduce on a torus over all 2N links at a time: reduce-scatter, then allgather, in 2N parts
// that go different ways. Every rank has a p-th of the message between the two.
// [jain2010]   rounds 2(d-N), d the sum of the dimensions
//              cost 2(d-N)·α + 2(p-1)/p·n/2N·β + (p-1)/p·n·γ   on equal dimensions

#include "algorithms/algorithm.h"
#include "algorithms/torus.h"
#include "schedule/combinators.h"

namespace toccata::algorithms {

namespace allgather {
extern const Algorithm torus_multiport;
}
namespace reduce_scatter {
extern const Algorithm torus_multiport;
}

namespace allreduce {

// The shape of either half: what a rank has between them is in as many parts.
static Shape half(Shape shape) {
  shape.parts = ways_round(shape);
  return shape;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Shape inner = half(shape);
  const BlockMap ours = BlockMap::affine(Buffer::recv, rank * inner.parts);
  schedule
      .then(on(reduce_scatter::torus_multiport.schedule(inner, rank),
               BlockMap::affine(Buffer::send, 0), ours))
      .then(on(allgather::torus_multiport.schedule(inner, rank), ours,
               BlockMap::affine(Buffer::recv, 0)));
}

static Cost cost(const Shape& shape) {
  return reduce_scatter::torus_multiport.cost(half(shape)) +
         allgather::torus_multiport.cost(half(shape));
}

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter and allgather over all 2N links; for long messages",
    .citation = "jain2010",
    .by_grid = true,
    .parts = [](const Shape& shape) { return shape.p * ways_round(shape); },
    .cost = cost,
    .write = write,
};

}  // namespace allreduce
}  // namespace toccata::algorithms
