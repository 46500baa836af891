// Broadcast on a torus for long messages: scatter over the minimum spanning tree, then allgather
// with a bucket in every dimension, in which no rank sends to the root. Between the two, every rank
// has 1/p of the message.
// [chan2006, section 4.2.3]   rounds about ⌈log_2N+1 p⌉ + d-N, d the sum of the dimensions
//                             cost rounds·α + ((p-1)/p/2N + (D-1)/D)·n·β, D the shortest dimension

#include "schedule/combinators.h"
#include "writing/registry.h"
#include "writing/torus.h"

namespace toccata::algorithms::bcast {

static const Algorithm& scatter() { return *find_algorithm(toccata::scatter, "torus_mst"); }
static const Algorithm& allgather() { return *find_algorithm(toccata::allgather, "torus_bucket"); }

static Shape half(Shape shape) {
  shape.parts = 1;
  return shape;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Shape inner = half(shape);
  const BlockMap all = BlockMap::affine(Buffer::recv, 0);
  const BlockMap ours = BlockMap::affine(Buffer::recv, rank);
  const Schedule gathering = on(allgather().schedule(inner, rank), ours, all);
  schedule.then(on(scatter().schedule(inner, rank), all, ours), tree_rounds(shape))
      .then(without_messages_to(shape.root, rank, gathering));
}

static std::optional<Cost> claim(const Shape& shape) {
  const std::optional<Cost> scattering = scatter().claimed(half(shape));
  const std::optional<Cost> gathering = allgather().claimed(half(shape));
  if (!scattering || !gathering) return {};
  return *scattering + *gathering;
}

extern const Algorithm torus_long{
    .name = "torus_long",
    .collective = toccata::bcast,
    .summary = "scatter over 2N links of an N-D torus and allgather by buckets; for long messages",
    .citation = "chan2006, section 4.2.3",
    .claim = claim,
    .by_grid = true,
    .parts = [](const Shape& shape) { return shape.p; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
