// Allgather by recursive multiplying: in every round, k ranks exchange all their data, which
// multiplies by k. If p is not j·k^m with j < k, ranks are folded in pairs first, and unfolded at
// the end.
// [ruefenacht2017]   rounds logk p, or ⌊logk p⌋ + 3 at most
//                    cost rounds·α + (p-1)/p·n·β, twice that for folded pairs
//
//   p = 6, k = 3, groups   0-1-2 3-4-5      0-3 1-4 2-5
//   rank 0 holds           A B C . . .      A B C D E F

#include "patterns/folded_cube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static const Parameter radix = number(
    "radix", "k: factor by which the data of a rank grow per round", 2, 1 << 20, 4, {2, 3, 4});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  const int leaf = cube.leaf(rank);
  const bool idle = rank != cube.owner(leaf);
  // The blocks that a leaf has before leaves `weight` apart exchange theirs.
  const auto held = [&](int by, int weight) {
    const int first = by - by % weight;
    return recv(cube.first(first), cube.first(first + weight) - cube.first(first));
  };

  fold_blocks(cube, rank, schedule);
  for_each_group(cube, leaf, [&](const LeafGroup& group) {
    schedule.round();
    for (int i = 1; i < group.size && !idle; ++i)
      schedule.send(cube.owner(group.above(i)), held(leaf, group.weight))
          .recv(cube.owner(group.below(i)), held(group.below(i), group.weight));
  });
  unfold_blocks(cube, rank, schedule);
}

// The first leaf sends most: if ranks are folded, a pair is there, and in all leaves whose blocks
// it forwards first.
static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  Cost cost{.rounds = gathering_rounds(cube) - 1, .copied = 1};
  if (cube.pairs() > 0) cost = cost + Cost{.messages = 1, .sent = shape.p - 1};
  for_each_group(cube, 0, [&](const LeafGroup& group) {
    const int others = group.size - 1;
    cost = cost + Cost{.messages = others, .sent = others * cube.first(group.weight)};
  });
  return cost;
}

extern const Algorithm recursive_multiplying{
    .name = "recursive_multiplying",
    .collective = toccata::allgather,
    .summary =
        "about logk p rounds of k-1 concurrent messages; data grow by k per round; for any p",
    .citation = "ruefenacht2017",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::allgather
