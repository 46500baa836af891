// Allgather on a torus over all 2N links at the same time: every block takes 2N routes. Its pieces
// go round the dimensions in an order that is rotated by one from route to route, half of them
// upwards and half downwards.
// [jain2010]   rounds d-N, d the sum of the dimensions   cost (d-N)·α + (p-1)/p·n/2N·β
//
//   4 x 4, way 0 →↓    way 1 ↓→    way 2 ←↑    way 3 ↑←     so all four links are always busy
//
// This is the lower bound. [chan2006, section 6] states that no algorithm reaches it, which is true
// for whole blocks. On dimensions of different sizes, the paper's equal parts do not reach it;
// writing/torus.h calculates the pieces per route for which all links carry the same amount. On
// a mesh, data return along the line to close a ring, so a link carries twice as much. This is
// necessary, because a corner has only N links.

#include <vector>

#include "schedule/combinators.h"
#include "writing/algorithm.h"
#include "writing/torus.h"

namespace toccata::algorithms::allgather {

static Schedule send_round(const Grid& grid, int rank, const Way& way, int parts) {
  const auto pieces_of = [&](const CellBox& box) {
    return blocks_of(grid, box, Buffer::recv, parts, way.first_piece, way.pieces);
  };
  ScheduleBuilder schedule;
  schedule.round().copy(send(way.first_piece, way.pieces),
                        recv(rank * parts + way.first_piece, way.pieces));
  CellBox last;
  BlockRanges came;
  for (const RingRound& each :
       ring_rounds(grid.mesh, cell_of(grid, rank), way.order, way.direction)) {
    if (each.sent != last) came = pieces_of(each.sent);
    schedule.round().send(grid.rank_at(each.to), came);
    last = each.received;
    came = pieces_of(last);
    schedule.recv(grid.rank_at(each.from), came);
  }
  return std::move(schedule).build();
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  std::vector<Schedule> all;
  for (const Way& way : balanced_ways(grid))
    all.push_back(send_round(grid, rank, way, shape.parts));
  schedule.then(beside(all));
}

static Cost claim(const Shape& shape) {
  const int steps = ring_steps(grid_of(shape).mesh);
  return {.rounds = steps,
          .messages = static_cast<std::int64_t>(balanced_ways(grid_of(shape)).size()) * steps,
          .sent = std::int64_t{shape.parts} * (shape.p - 1),
          .copied = shape.parts};
}

extern const Algorithm torus_multiport{
    .name = "torus_multiport",
    .collective = toccata::allgather,
    .summary = "pieces of each block take 2N ways around an N-D torus; all links equally busy",
    .citation = "jain2010",
    .claim = claim,
    .by_grid = true,
    .parts = balanced_pieces,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
