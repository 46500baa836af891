// Allreduce round a ring: reduce_scatter/ring on p parts of the vector, then allgather/ring.
// [patarasuk2009, section 4]   rounds 2·(p-1)   cost 2·(p-1)·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
//   p = 4, rank 0 has the sums of part    A    A D    A D C    A B C D

#include "algorithms/registry.h"
#include "schedule/combinators.h"

namespace toccata::algorithms::allreduce {

static const Algorithm& scatter() { return *find_algorithm(toccata::reduce_scatter, "ring"); }
static const Algorithm& gather() { return *find_algorithm(toccata::allgather, "ring"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Shape ring{shape.p};
  const BlockMap all = BlockMap::affine(Buffer::recv, 0);
  const BlockMap own = BlockMap::affine(Buffer::recv, rank);
  schedule.then(on(scatter().schedule(ring, rank), BlockMap::affine(Buffer::send, 0), own))
      .then(on(gather().schedule(ring, rank), own, all));
}

static Cost cost(const Shape& shape) {
  return scatter().cost({shape.p}) + gather().cost({shape.p});
}

extern const Algorithm ring{
    .name = "ring",
    .collective = toccata::allreduce,
    .summary = "2(p-1) rounds between neighbours; for long messages",
    .citation = "patarasuk2009, section 4",
    .parts = [](const Shape& shape) { return shape.p; },
    .cost = cost,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
