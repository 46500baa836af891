// Allreduce on a torus for long messages: reduce-scatter, then allgather, with a bucket in every
// dimension. Every rank has a p-th of the message between the two.
// [chan2006, section 4.2.4]   rounds 2(d-N), d the sum of the dimensions
//                             cost 2(d-N)·α + 2(D-1)/D·n·β + (p-1)/p·n·γ, D the shortest dimension

#include "algorithms/algorithm.h"
#include "algorithms/torus.h"
#include "schedule/combinators.h"

namespace toccata::algorithms {

namespace allgather {
extern const Algorithm torus_bucket;
}
namespace reduce_scatter {
extern const Algorithm torus_bucket;
}

namespace allreduce {

// The shape of either half: what a rank has between them is one block.
static Shape half(Shape shape) {
  shape.parts = 1;
  return shape;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Shape inner = half(shape);
  const BlockMap ours = BlockMap::affine(Buffer::recv, rank * inner.parts);
  schedule
      .then(on(reduce_scatter::torus_bucket.schedule(inner, rank),
               BlockMap::affine(Buffer::send, 0), ours))
      .then(on(allgather::torus_bucket.schedule(inner, rank), ours,
               BlockMap::affine(Buffer::recv, 0)));
}

static Cost cost(const Shape& shape) {
  return reduce_scatter::torus_bucket.cost(half(shape)) + allgather::torus_bucket.cost(half(shape));
}

extern const Algorithm torus_long{
    .name = "torus_long",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter and allgather by buckets of a torus; for long messages",
    .citation = "chan2006, section 4.2.4",
    .by_grid = true,
    .parts = [](const Shape& shape) { return shape.p; },
    .cost = cost,
    .write = write,
};

}  // namespace allreduce
}  // namespace toccata::algorithms
