// Allreduce by recursive doubling: ranks swap their data and reduce it, at distances that double.
// If p is not a power of two, ranks are folded in pairs first, and unfolded at the end.
// [thakur2005, on allreduce]   rounds log2 p, or ⌊log2 p⌋ + 2   cost rounds·(α + n·β + n·γ)
//
//   p = 4, swaps   0-1 2-3    0-2 1-3
//   rank 0 has     a∘b        a∘b∘c∘d
//
// Operands of lower ranks are on the left, so the order of the ranks is kept; the expression is the
// standard one.

#include <utility>

#include "patterns/folded_cube.h"
#include "patterns/hypercube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allreduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const int leaf = cube.leaf(rank);
  const int twin = FoldedCube::twin(rank);
  const bool idle = rank != cube.owner(leaf);

  Operands operands{recv(0), schedule.scratch({send(0)}), {}};
  if (!idle) {  // own and other swap at every operand from above, and ours must end in recv
    int from_above = cube.in_pair(rank) ? 1 : 0;
    for (int distance = 1; distance < cube.leaves(); distance *= 2)
      if ((leaf & distance) == 0) ++from_above;
    if (from_above % 2 == 1) std::swap(operands.own, operands.other);
    schedule.round().copy(send(0), operands.own);
  } else {
    schedule.round();
  }

  if (cube.pairs() > 0) {
    schedule.round();
    if (idle) {
      schedule.send(twin, send(0));
    } else if (cube.in_pair(rank)) {
      schedule.recv(twin, operands.other);
      operands.take_in(true, schedule);
    }
  }
  for (int distance = 1; distance < cube.leaves(); distance *= 2) {
    schedule.round();
    if (idle) continue;
    const int peer = cube.owner(Hypercube{leaf}.across(distance));
    schedule.send(peer, operands.own).recv(peer, operands.other);
    operands.take_in(peer > rank, schedule);
  }
  if (cube.in_pair(rank))
    idle ? schedule.round().recv(twin, recv(0)) : schedule.round().send(twin, recv(0));
}

static Cost claim(const Shape& shape) {
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
    .summary = "log2 p rounds; every rank reduces whole vectors; for short messages",
    .citation = "thakur2005, on allreduce",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .pattern = "ring",
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
