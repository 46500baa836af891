// Allreduce by recursive multiplying: in every round, k ranks exchange their partial results. If p
// is not j·k^m with j < k, ranks are folded in pairs first, and unfolded at the end.
// [ruefenacht2017]   rounds logk p, or ⌊logk p⌋ + 3 at most   cost rounds·(α + (k-1)·n·(β + γ))
//
//   p = 6, k = 3, groups   0-1-2 3-4-5    0-3 1-4 2-5
//   rank 0 has             a∘b∘c          a∘b∘c∘d∘e∘f
//
// A group's operands are stored side by side and combined in the order of the ranks; all others are
// reduced into the last one. If that is not our own operand, it becomes ours, and the two blocks
// swap roles. They begin so that our operand ends in recv:
//
//   rank 1 of 0-1-2   own b in scratch, c arrives in recv, a in more scratch    a∘b∘c is in recv

#include <algorithm>

#include "patterns/folded_cube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allreduce {

static const Parameter radix =
    number("radix", "k: ranks per group; the ranks of a group exchange their sums in a round", 2,
           1 << 20, 4, {2, 3, 4});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  const int twin = FoldedCube::twin(rank);
  const bool folded = cube.in_pair(rank), idle = rank != cube.owner(cube.leaf(rank));
  const auto groups = groups_of(cube, rank);

  schedule.round();
  if (idle) {
    schedule.round().send(twin, send(0));
    for (std::size_t i = 1; i < groups.size(); ++i) schedule.round();
    schedule.round().recv(twin, recv(0));
    return;
  }
  GroupOperands operands(rank, groups, schedule);
  schedule.copy(send(0), operands.own());
  if (cube.pairs() > 0 && !folded) schedule.round();
  for (const auto& ranks : groups) {
    schedule.round();
    const BlockRanges places = operands.places(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] != rank) schedule.recv(ranks[i], places[i]);
    // Each rank first sends to the next rank above, so that no rank receives from all at the same
    // time.
    const auto own = std::ranges::find(ranks, rank) - ranks.begin();
    for (std::size_t i = 1; i < ranks.size(); ++i)
      if (const int peer = ranks[(own + i) % ranks.size()]; !(folded && peer == twin))
        schedule.send(peer, operands.own());
    for (std::size_t i = places.size() - 1; i-- > 0;) schedule.reduce(places[i], places.back());
    operands.combined(ranks);
  }
  if (folded) schedule.round().send(twin, recv(0));
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, 0, shape.parameters[radix]};
  const int folds = cube.pairs() > 0 ? 1 : 0;
  Cost cost{.rounds = 2 * folds, .messages = folds, .sent = folds, .copied = 1, .reduced = folds};
  for_each_group(cube, 0, [&](const LeafGroup& group) {
    const int others = group.size - 1;
    cost = cost + Cost{.rounds = 1, .messages = others, .sent = others, .reduced = others};
  });
  return cost;
}

extern const Algorithm recursive_multiplying{
    .name = "recursive_multiplying",
    .collective = toccata::allreduce,
    .summary = "about logk p rounds of k-1 concurrent messages, for any p; for short messages",
    .citation = "ruefenacht2017",
    .claim = claim,
    .parameters = {radix},
    .ordered = true,
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
