// Reduce up a binomial tree: in every round, half of the remaining ranks send their results to the
// other half. If p is not a power of two, ranks are folded in pairs first.
// [thakur2005, on reduce]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β + n·γ)
//
//   p = 4, root 0   1>0 3>2    2>0            p = 4, root 3   1>0 2>3    0>3
//
// Neighbours are combined first, so operands always belong to consecutive ranks. Therefore the
// order of the ranks is kept, and the expression is the standard one for any root. When two runs of
// ranks are combined, the root has the result if it is in one of them, otherwise the lowest rank
// has it.

#include <utility>
#include <vector>

#include "patterns/folded_cube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce {

namespace {

// The rank that has the result of `size` leaves from `first` on.
int head(const FoldedCube& cube, int first, int size) {
  const bool with_root = (cube.leaf(cube.root) & ~(size - 1)) == first;
  return with_root ? cube.root : cube.owner(first);
}

// The source of a rank's operands by round (-1: none), and the destination of the result.
struct Plan {
  std::vector<int> from;
  int to = -1;

  Plan(const FoldedCube& cube, int rank) {
    const int leaf = cube.leaf(rank);
    if (cube.pairs() > 0) {
      const int twin = FoldedCube::twin(rank);
      if (rank != cube.owner(leaf)) {
        to = twin;
        return;
      }
      from.push_back(cube.in_pair(rank) ? twin : -1);
    }
    for (int size = 1; size < cube.leaves(); size *= 2) {
      const int first = leaf & ~(size - 1);
      const int other = head(cube, first ^ size, size);
      if (head(cube, first & ~size, 2 * size) != rank) {
        to = other;
        return;
      }
      from.push_back(other);
    }
  }
};

}  // namespace

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Plan plan(FoldedCube{shape.p, shape.root}, rank);
  Operands operands{send(0), schedule.scratch({send(0)}), {}};
  schedule.round();
  if (rank == shape.root) {  // as in allreduce/recursive_doubling: ours must end in recv
    operands.own = recv(0);
    int from_above = 0;
    for (const int peer : plan.from) from_above += peer > rank ? 1 : 0;
    if (from_above % 2 == 1) std::swap(operands.own, operands.other);
    schedule.copy(send(0), operands.own);
  } else if (plan.from.size() > 1) {
    operands.spare = schedule.scratch({send(0)});
  }
  for (const int peer : plan.from) {
    schedule.round();
    if (peer < 0) continue;
    schedule.recv(peer, operands.other);
    operands.take_in(peer > rank, schedule);
  }
  if (plan.to >= 0) schedule.round().send(plan.to, operands.own);
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, shape.root};
  const int one = shape.p > 1 ? 1 : 0;
  return {.rounds = ceil_log2(shape.p),
          .messages = one,
          .sent = one,
          .copied = 1,
          .reduced = floor_log2(shape.p) + (cube.in_pair(shape.root) ? 1 : 0)};
}

extern const Algorithm binomial{
    .name = "binomial",
    .collective = toccata::reduce,
    .summary = "⌈log2 p⌉ rounds; the number of remaining ranks halves; for short messages",
    .citation = "thakur2005, on reduce",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .pattern = "binomial_bcast",
    .write = write,
};

}  // namespace toccata::algorithms::reduce
