// Allgather on a torus with a bucket in every dimension: in every round each rank sends to the next
// rank in each of the N dimensions. Blocks that arrive in one dimension are forwarded in that one
// and in later ones, so that no block arrives twice.
// [chan2006, section 4.2.2]   rounds d-N, d the sum of the dimensions   cost (d-N)·α + (D-1)/D·n·β
//
// D is the dimension that is last in the order. The paper does not specify the order, and its cost
// has the longest dimension last. The shortest is better, because most data pass through the last
// one. This is still about 2N times the lower bound; see torus_multiport.

#include "writing/algorithm.h"
#include "writing/torus.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  const auto blocks_from = [&](const std::vector<int>& cells) {
    BlockRanges blocks;
    for (const int cell : cells) append(blocks, recv(grid.rank_at(cell)));
    return blocks;
  };
  schedule.round().copy(send(0), recv(rank));
  for (const auto& messages :
       bucket_rounds(grid.mesh, cell_of(grid, rank), longest_first(grid.mesh))) {
    schedule.round();
    for (const BucketMessage& each : messages)
      schedule.send(grid.rank_at(each.to), blocks_from(each.sent))
          .recv(grid.rank_at(each.from), blocks_from(each.received));
  }
}

// In each dimension, data arrive for as many rounds as this dimension and the earlier ones have
// steps.
static Cost claim(const Shape& shape) {
  const Mesh mesh = grid_of(shape).mesh;
  Cost cost{.sent = shape.p - 1, .copied = 1};
  for (const int dimension : longest_first(mesh)) {
    cost.rounds += mesh.dims[dimension] - 1;
    cost.messages += cost.rounds;
  }
  return cost;
}

extern const Algorithm torus_bucket{
    .name = "torus_bucket",
    .collective = toccata::allgather,
    .summary = "bucket algorithm in every dimension of an N-D torus, over N links at a time",
    .citation = "chan2006, section 4.2.2",
    .claim = claim,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
