// Reduce up a binomial tree: in every round, half of the remaining ranks send their results to the
// other half. If p is not a power of two, ranks are folded in pairs first.
// [thakur2005, on reduce]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β + n·γ)
//
//   p = 4, root 0   1>0 3>2    2>0            p = 4, root 3   1>0 2>3    0>3
//
// Neighbours are combined first, so operands always belong to consecutive ranks. Therefore the
// order of the ranks is kept, and the expression is the standard one for any root. When two runs of
// ranks are combined, the root has the result if it is in one of them, otherwise the lowest rank
// has it. An operand from above takes our place, so the two blocks swap roles:
//
//   p = 4, root 0    recv a, scratch b      b from above: a∘b is in scratch
//                    scratch ab, recv cd    cd from above: ab∘cd is in recv, as it must be

#include <algorithm>
#include <utility>

#include "patterns/folded_tree.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedTree tree(FoldedCube{shape.p, shape.root}, rank);
  Operands operands{send(0), schedule.scratch({send(0)}), {}};
  schedule.round();
  if (rank == shape.root) {
    operands.own = recv(0);
    const auto from_above = std::ranges::count_if(tree.from, [&](int peer) { return peer > rank; });
    if (from_above % 2 == 1) std::swap(operands.own, operands.other);
    schedule.copy(send(0), operands.own);
  } else if (tree.from.size() > 1) {
    operands.spare = schedule.scratch({send(0)});
  }
  for (const int peer : tree.from) {
    schedule.round();
    if (peer < 0) continue;
    schedule.recv(peer, operands.other);
    operands.take_in(peer > rank, schedule);
  }
  if (tree.to >= 0) schedule.round().send(tree.to, operands.own);
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
