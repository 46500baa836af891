// Scan by recursive doubling: ranks exchange the contributions of their groups, at distances that
// double, so that groups double, too. The result includes the contributions of lower groups.
// [sanders2006]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β + 2·n·γ)
//
//   p = 4            0>1 2-3            0>2 1>3
//   rank 2 has       c; group: c∘d      a∘b∘c
//
// Groups at the end may be smaller, and no rank receives data that it does not need.

#include <algorithm>

#include "patterns/arithmetic.h"
#include "patterns/folded_cube.h"
#include "patterns/hypercube.h"
#include "patterns/prefix_groups.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::scan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const PrefixGroups groups{shape.p};
  Operands group{schedule.scratch({send(0)}), schedule.scratch({send(0)}), {}};
  schedule.round().copy(send(0), recv(0));
  if (groups.is_wanted(rank, 1)) schedule.copy(send(0), group.own);
  for (int distance = 1; distance < shape.p; distance *= 2) {
    schedule.round();
    const int peer = Hypercube{rank}.across(distance);
    if (groups.gives(rank, peer, distance)) schedule.send(peer, group.own);
    if (peer >= shape.p || !groups.gives(peer, rank, distance)) continue;
    schedule.recv(peer, group.other);
    if (peer < rank) schedule.reduce(group.other, recv(0));
    if (groups.is_wanted(rank, 2 * distance)) group.take_in(peer > rank, schedule);
  }
}

// Rank 0 sends in every round. A rank with many lower ranks reduces most: groups, and into its
// result.
static Cost claim(const Shape& shape) {
  const int p = shape.p, rounds = ceil_log2(p), whole = floor_log2(p);
  if (p == 1) return {.copied = 1};
  const int last = 2 * p >= 3 << whole ? 1 : 0;
  return {.rounds = rounds,
          .messages = rounds,
          .sent = rounds,
          .copied = 2,
          .reduced = std::max(1, 2 * whole - 2 + last)};
}

extern const Algorithm recursive_doubling{
    .name = "recursive_doubling",
    .collective = toccata::scan,
    .summary = "⌈log2 p⌉ rounds; every message is the sum of a group of ranks; for short messages",
    .citation = "sanders2006",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .write = write,
};

}  // namespace toccata::algorithms::scan
