// Allgather on a torus over all 2N links at a time: every block in 2N parts, and part k goes round
// the dimensions in an order rotated by k, half of the parts each way round.
// [jain2010]   rounds d-N, d the sum of the dimensions
//              cost (d-N)·α + (p-1)/p·n/2N·β   on equal dimensions
//
//   4 x 4, part 0 →↓    part 1 ↓→    part 2 ←↑    part 3 ↑←     so all four links are always busy
//
// That is the lower bound, which [chan2006, section 6] holds to be out of reach: it is so for whole
// blocks. On a mesh, where a ring has to be closed by the way back, a link carries twice as much,
// and so it must, as its corners have but N links.

#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/torus.h"
#include "schedule/combinators.h"

namespace toccata::algorithms::allgather {

static Schedule send_round(const Grid& grid, int rank, int part, int parts) {
  const auto part_of = [&](const CellBox& box) {
    return blocks_of(grid, box, Buffer::recv, parts, part);
  };
  std::vector<int> order = longest_first(grid.mesh);
  const auto n = static_cast<int>(order.size());
  if (n > 0) std::rotate(order.begin(), order.begin() + part % n, order.end());

  ScheduleBuilder schedule;
  schedule.round().copy(send(part), recv(rank * parts + part));
  CellBox last;
  BlockRanges came;
  for (const RingRound& each :
       ring_rounds(grid.mesh, cell_of(grid, rank), order, part < n ? +1 : -1)) {
    if (each.sent != last) came = part_of(each.sent);
    schedule.round().send(grid.rank_at(each.to), came);
    last = each.received;
    came = part_of(last);
    schedule.recv(grid.rank_at(each.from), came);
  }
  return std::move(schedule).build();
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  Schedule all = send_round(grid, rank, 0, shape.parts);
  for (int part = 1; part < shape.parts; ++part)
    all = beside(all, send_round(grid, rank, part, shape.parts));
  schedule.then(all);
}

static Cost claim(const Shape& shape) {
  const int steps = ring_steps(grid_of(shape).mesh);
  return {.rounds = steps,
          .messages = std::int64_t{shape.parts} * steps,
          .sent = std::int64_t{shape.parts} * (shape.p - 1),
          .copied = shape.parts};
}

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::allgather,
    .summary = "each block in 2N parts, each another way round the torus; all links busy",
    .citation = "jain2010",
    .claim = claim,
    .by_grid = true,
    .parts = ways_round,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
