// Scatter down a k-nomial tree: in every round, each rank that has blocks sends k - 1 children the
// blocks of their subtrees at once.
// [conceptual, k-nomial tree functions]   rounds ⌈logk p⌉   cost ⌈logk p⌉·α + (p-1)/p·n·β
//
//   p = 6, k = 3, root 0   round 0: 0>3 d e f    round 1: 0>1 b  0>2 c  3>4 e  3>5 f

#include "patterns/knomial.h"

#include "writing/algorithm.h"

namespace toccata::algorithms::scatter {

static const Parameter radix =
    number("radix", "k: factor by which the number of ranks with blocks grows per round", 2,
           1 << 20, 4, {3, 4});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = Knomial::of(shape.p, rank, shape.root, shape.parameters[radix]);
  const int others = tree.span() - 1;  // blocks to forward, in scratch
  if (!tree.is_root()) schedule.scratch(circular(Buffer::send, rank + 1, others, shape.p));
  // The blocks of a child's subtree: in place on the root, contiguous on other ranks.
  const auto subtree = [&](int distance) {
    const int count = tree.span(distance);
    return tree.is_root() ? circular(Buffer::send, rank + distance, count, shape.p)
                          : BlockRanges{{Buffer::scratch, distance - 1, count}};
  };

  schedule.round();
  if (tree.is_root()) schedule.copy(send(rank), recv(0));
  for (int weight = tree.farthest(); weight > 0; weight /= tree.radix) {
    schedule.round();
    if (weight == tree.reach()) {
      BlockRanges mine{recv(0)};
      if (others > 0) mine.push_back({Buffer::scratch, 0, others});
      schedule.recv(tree.parent(), mine);
    }
    for (int i = 1; i <= tree.children(weight); ++i)
      schedule.send(tree.child(i * weight), subtree(i * weight));
  }
}

static Cost claim(const Shape& shape) {
  const Knomial tree{shape.p, 0, 0, shape.parameters[radix]};
  return {.rounds = tree.levels(), .messages = tree.children(), .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm knomial{
    .name = "knomial",
    .collective = toccata::scatter,
    .summary = "⌈logk p⌉ rounds of up to k-1 concurrent messages; ranks relay; for short messages",
    .citation = "conceptual, k-nomial tree functions",
    .claim = claim,
    .parameters = {radix},
    .relays = true,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
