// Allreduce by recursive doubling: ranks swap what they have and reduce it, at distances that
// double. Where p is no power of two, ranks are folded in pairs first, and unfolded at the end.
// [thakur2005, section 4.5]   rounds log2 p, or ⌊log2 p⌋ + 2   cost rounds·(α + n·β + n·γ)
//
//   p = 4, swaps   0-1 2-3    0-2 1-3
//   rank 0 has     a∘b        a∘b∘c∘d
//
// What comes from lower ranks goes from the left: the order of the ranks is kept, and the
// expression is the standard one, the same for all ranks.

#include <utility>

#include "algorithms/algorithm.h"
#include "patterns/folded_cube.h"
#include "patterns/hypercube.h"

namespace toccata::algorithms::allreduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const int leaf = cube.leaf(rank);
  const bool idle = rank != cube.owner(leaf);

  // What comes from above takes the place of what we have, which is reduced into it. These are as
  // many as leaf has zeros, and one for our twin: begin where the last one ends in recv.
  BlockRange own = recv(0), other = schedule.scratch({send(0)});
  int from_above = cube.in_pair(rank) ? 1 : 0;
  for (int distance = 1; distance < cube.leaves(); distance *= 2)
    if ((leaf & distance) == 0) ++from_above;
  if (from_above % 2 == 1 && !idle) std::swap(own, other);
  const auto take_in = [&](int peer) {
    if (peer < rank) {
      schedule.reduce(other, own);
    } else {
      schedule.reduce(own, other);
      std::swap(own, other);
    }
  };

  schedule.round();
  if (!idle) schedule.copy(send(0), own);
  if (cube.pairs() > 0) {
    schedule.round();
    const int twin = FoldedCube::twin(rank);
    if (idle) schedule.send(twin, send(0));
    if (!idle && cube.in_pair(rank)) {
      schedule.recv(twin, other);
      take_in(twin);
    }
  }
  for (int distance = 1; distance < cube.leaves(); distance *= 2) {
    schedule.round();
    if (idle) continue;
    const int peer = cube.owner(Hypercube{leaf}.across(distance));
    schedule.send(peer, own).recv(peer, other);
    take_in(peer);
  }
  schedule.round();
  if (idle) schedule.recv(FoldedCube::twin(rank), recv(0));
  if (!idle && cube.in_pair(rank)) schedule.send(FoldedCube::twin(rank), recv(0));
}

static Cost cost(const Shape& shape) {
  const int rounds = floor_log2(shape.p);
  const int folded = is_power_of_two(shape.p) ? 0 : 1;
  return {.rounds = rounds + 2 * folded,
          .messages = rounds + folded,
          .sent = rounds + folded,
          .copied = 1,
          .reduced = rounds + folded};
}

extern const Algorithm recursive_doubling{
    .name = "recursive_doubling",
    .collective = toccata::allreduce,
    .summary = "log2 p rounds, everybody reduces everything; for short messages",
    .citation = "thakur2005, section 4.5",
    .ordered = true,
    .reproducible = true,
    .cost = cost,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
