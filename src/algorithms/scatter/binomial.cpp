// Scatter down a binomial tree: in every round, each rank that has blocks forwards those for the
// farther half of its subtree.
// [thakur2005, on broadcast]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β
//
//   p = 4, root 0   round 0: 0>2 c d    round 1: 0>1 b  2>3 d

#include "patterns/binomial.h"

#include "writing/algorithm.h"

namespace toccata::algorithms::scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Binomial tree = Binomial::of(shape.p, rank, shape.root);
  const int others = tree.span() - 1;  // blocks to forward, in scratch
  if (!tree.is_root()) schedule.scratch(circular(Buffer::send, rank + 1, others, shape.p));
  // The blocks of a child's subtree: in place on the root, contiguous on other ranks.
  const auto subtree = [&](int distance) {
    const int count = tree.span(distance);
    return tree.is_root() ? circular(Buffer::send, rank + distance, count, shape.p)
                          : BlockRanges{{Buffer::scratch, distance - 1, count}};
  };

  for (int distance = tree.farthest(); distance > 0; distance /= 2) {
    schedule.round();
    if (distance == tree.reach() && !tree.is_root()) {
      BlockRanges mine{recv(0)};
      if (others > 0) mine.push_back({Buffer::scratch, 0, others});
      schedule.recv(tree.parent(), mine);
    }
    if (tree.has_child(distance)) schedule.send(tree.child(distance), subtree(distance));
  }
  if (tree.is_root()) (shape.p == 1 ? schedule.round() : schedule).copy(send(rank), recv(0));
}

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p);
  return {.rounds = rounds, .messages = rounds, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm binomial{
    .name = "binomial",
    .collective = toccata::scatter,
    .summary = "⌈log2 p⌉ rounds; ranks relay blocks of others; for short messages",
    .citation = "thakur2005, on broadcast",
    .claim = claim,
    .relays = true,
    .pattern = "binomial_gather",
    .write = write,
};

}  // namespace toccata::algorithms::scatter
