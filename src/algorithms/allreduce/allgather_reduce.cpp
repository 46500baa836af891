// Allreduce by an allgather of whole vectors, which every rank then reduces by itself. There is one
// exchange instead of two, and no rank waits for the reductions of others, but every rank receives
// and reduces p vectors.
// [openmpi2026]   by Bruck: rounds ⌈log2 p⌉
//                                   cost ⌈log2 p⌉·α + (p-1)·n·(β + γ)
//
//   p = 4   scratch of all ranks    a b c d    a ab c cd    a ab c abcd
//
// All ranks evaluate the standard expression; operands of a level are reduced in one step.

#include "patterns/folded_cube.h"
#include "schedule/combinators.h"
#include "writing/flat.h"

namespace toccata::algorithms::allreduce {

static const Parameter exchange =
    choice("exchange", "algorithm of the exchange: allgather/...", {"bruck", "ring"});

static Flat allgather(const Shape& shape) {
  return {toccata::allgather, exchange.words[shape.parameters[exchange]]};
}

// The last ranks of every stride-th leaf, from leaf `first` on.
static BlockRanges lasts(const FoldedCube& cube, int first, int stride) {
  const int pairs = cube.pairs(), single = pairs + wrap(first - pairs, stride);
  BlockRanges blocks = runs_below(Buffer::scratch, 2 * first + 1, 1, 2 * stride, 2 * pairs);
  for (const BlockRange& each : runs_below(Buffer::scratch, single + pairs, 1, stride, cube.p))
    blocks.push_back(each);
  return blocks;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const int pairs = cube.pairs();
  schedule.then(
      in_scratch(allgather(shape).schedule(shape.p, rank), BlockMap::affine(Buffer::send, 0, 0)));
  const BlockRange firsts{Buffer::scratch, 0, 1, 2, pairs},
      seconds{Buffer::scratch, 1, 1, 2, pairs};
  if (pairs > 0) schedule.reduce(firsts, seconds);
  for (int size = 1; size < cube.leaves(); size *= 2)
    schedule.reduce(lasts(cube, size - 1, 2 * size), lasts(cube, 2 * size - 1, 2 * size));
  schedule.copy({Buffer::scratch, shape.p - 1}, recv(0));
}

static Cost claim(const Shape& shape) {
  return allgather(shape).claim(shape.p) + Cost{.copied = 1, .reduced = shape.p - 1};
}

extern const Algorithm allgather_reduce{
    .name = "allgather_reduce",
    .collective = toccata::allreduce,
    .summary = "⌈log2 p⌉ rounds of whole vectors, all reduced locally; for very short messages",
    .citation = "openmpi2026",
    .claim = claim,
    .parameters = {exchange},
    .ordered = true,
    .reproducible = true,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
