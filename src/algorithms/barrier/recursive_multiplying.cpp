// Barrier by recursive multiplying: in every round, the k ranks of a group exchange signals. So the
// number of ranks from which a rank has information multiplies by k. If p is not j·k^m with j < k,
// ranks are folded in pairs first, and unfolded at the end.
// [ruefenacht2017, on allreduce]   rounds logk p, or ⌊logk p⌋ + 3 at most   cost rounds·α
//
//   p = 4, k = 2    0-1 2-3    0-2 1-3
//
// Dissemination uses a circle of ranks, so in every round some rank sends to another node. Here, if
// ranks are in the order of the nodes, the first rounds stay inside the nodes.

#include "patterns/folded_cube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::barrier {

static const Parameter radix =
    number("radix", "k: factor by which the number of known ranks grows per round", 2, 1 << 20, 4,
           {2, 3, 4});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  const int leaf = cube.leaf(rank), twin = FoldedCube::twin(rank);
  const bool idle = rank != cube.owner(leaf);

  if (cube.pairs() > 0) schedule.round();
  if (cube.in_pair(rank)) idle ? schedule.send(twin) : schedule.recv(twin);
  for_each_group(cube, leaf, [&](const LeafGroup& group) {
    schedule.round();
    for (int i = 1; i < group.size && !idle; ++i)
      schedule.send(cube.owner(group.above(i))).recv(cube.owner(group.below(i)));
  });
  if (cube.in_pair(rank)) idle ? schedule.round().recv(twin) : schedule.round().send(twin);
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  const int folded = cube.pairs() > 0 ? 1 : 0;
  Cost cost{.rounds = 2 * folded, .messages = folded};
  for_each_group(cube, 0, [&](const LeafGroup& group) {
    ++cost.rounds;
    cost.messages += group.size - 1;
  });
  return cost;
}

extern const Algorithm recursive_multiplying{
    .name = "recursive_multiplying",
    .collective = toccata::barrier,
    .summary =
        "about logk p rounds; groups of k ranks signal each other, neighbours first; for any p",
    .citation = "ruefenacht2017, on allreduce",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::barrier
