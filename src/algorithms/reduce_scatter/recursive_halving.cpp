// Reduce-scatter by recursive halving: two ranks divide their blocks between them, and send each
// other the half that they give up, at distances that double. If p is not a power of two, ranks are
// folded in pairs first, and unfolded at the end.
// [thakur2005, on reduce-scatter; rabenseifner2004]   rounds log2 p, or ⌊log2 p⌋ + 2
//               cost rounds·α + (p-1)/p·n·(β + γ)
//
//   p = 4        0-1 2-3                       0-2 1-3
//   ranks keep   AC BD AC BD                   A B C D
//
// In thakur2005, distances halve: the blocks of a half are contiguous, but ranks are combined out
// of order. Here, neighbours come first, so the order is kept and the expression is the standard
// one. Therefore, a half consists of every 2nd, 4th, ... block.

#include "patterns/halving.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const BlockRange room = schedule.scratch({send(0, shape.p)});
  Halving halves(cube, rank, shape.p, room, InterleavedHalves{cube});
  halves.write(schedule);

  if (!halves.idle()) schedule.round().copy(halves.own({recv(rank)}), {recv(0)});
  const int twin = FoldedCube::twin(rank);
  if (cube.in_pair(rank))
    halves.idle() ? schedule.round().round().recv(twin, recv(0))
                  : schedule.round().send(twin, halves.own({recv(twin)}));
}

// The first leaf keeps most: after j rounds, every 2^jth leaf, with both blocks of each pair.
static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p};
  const int leaves = cube.leaves(), pairs = cube.pairs(), halvings = floor_log2(leaves);
  Cost cost{.rounds = halvings, .messages = halvings, .sent = shape.p - 1};
  if (pairs > 0) cost = {.rounds = halvings + 2, .messages = halvings + 1, .sent = shape.p};
  cost.copied = shape.p / 2 + 1;
  cost.reduced = pairs > 0 ? shape.p : 0;
  for (int every = 2; every <= leaves; every *= 2)
    cost.reduced += leaves / every + (pairs + every - 1) / every;
  return cost;
}

extern const Algorithm recursive_halving{
    .name = "recursive_halving",
    .collective = toccata::reduce_scatter,
    .summary = "log2 p rounds; distance doubles and data halve in each; for short messages",
    .citation = "thakur2005, on reduce-scatter",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
