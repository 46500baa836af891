// Exclusive scan by recursive doubling: ranks exchange the contributions of their groups, at
// distances that double, so that groups double, too. The contributions of lower groups form the
// result.
// [sanders2006]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β + 2·n·γ)
//
//   p = 4            0>1 2-3                  0>2 1>3
//   rank 2 has       no result; group: c∘d    a∘b
//
// Groups at the end may be smaller, and no rank receives data that it does not need.

#include <algorithm>

#include "patterns/arithmetic.h"
#include "patterns/folded_cube.h"
#include "patterns/hypercube.h"
#include "patterns/prefix_groups.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::exscan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const PrefixGroups groups{shape.p};
  Operands group{schedule.scratch({send(0)}), schedule.scratch({send(0)}), {}};
  schedule.round();
  if (groups.is_wanted(rank, 1)) schedule.copy(send(0), group.own);
  bool has_result = false;
  for (int distance = 1; distance < shape.p; distance *= 2) {
    schedule.round();
    const int peer = Hypercube{rank}.across(distance);
    if (groups.gives(rank, peer, distance)) schedule.send(peer, group.own);
    if (peer >= shape.p || !groups.gives(peer, rank, distance)) continue;
    schedule.recv(peer, group.other);
    if (peer < rank) {
      has_result ? schedule.reduce(group.other, recv(0)) : schedule.copy(group.other, recv(0));
      has_result = true;
    }
    if (groups.is_wanted(rank, 2 * distance)) group.take_in(peer > rank, schedule);
  }
}

// Rank 0 sends in every round, and reduces groups only. A rank with many lower ranks also reduces
// into its result, except for the first time.
static Cost claim(const Shape& shape) {
  const int p = shape.p, rounds = ceil_log2(p), whole = floor_log2(p);
  if (p == 1) return {};
  const int last = 2 * p >= 3 << whole ? 1 : 0;
  return {.rounds = rounds,
          .messages = rounds,
          .sent = rounds,
          .copied = p == 2 ? 1 : 2,
          .reduced = std::max(rounds - 1, 2 * whole - 3 + last)};
}

extern const Algorithm recursive_doubling{
    .name = "recursive_doubling",
    .collective = toccata::exscan,
    .summary = "⌈log2 p⌉ rounds; every message is the sum of a group of ranks; for short messages",
    .citation = "sanders2006",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .write = write,
};

}  // namespace toccata::algorithms::exscan
