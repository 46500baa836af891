// Gather up a binomial tree: in every round, half of the ranks that have blocks forward all their
// blocks.
// [thakur2005, on broadcast, in reverse]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β
//
//   p = 4, root 0   round 0: 1>0 b  3>2 d    round 1: 2>0 c d

#include "patterns/binomial.h"

#include <algorithm>

#include "writing/algorithm.h"

namespace toccata::algorithms::gather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Binomial tree = Binomial::of(shape.p, rank, shape.root);
  const int others = tree.span() - 1;  // blocks to forward, in scratch
  if (!tree.is_root()) schedule.scratch(circular(Buffer::recv, rank + 1, others, shape.p));
  // The blocks of a child's subtree: in place on the root, contiguous on other ranks.
  const auto subtree = [&](int distance) {
    const int count = tree.span(distance);
    return tree.is_root() ? circular(Buffer::recv, rank + distance, count, shape.p)
                          : BlockRanges{{Buffer::scratch, distance - 1, count}};
  };

  schedule.round();
  if (tree.is_root()) schedule.copy(send(0), recv(rank));
  for (int distance = 1; distance <= tree.farthest(); distance *= 2) {
    schedule.round();
    if (tree.has_child(distance)) schedule.recv(tree.child(distance), subtree(distance));
    if (distance == tree.reach() && !tree.is_root()) {
      BlockRanges mine{send(0)};
      if (others > 0) mine.push_back({Buffer::scratch, 0, others});
      schedule.send(tree.parent(), mine);
    }
  }
}

static Cost claim(const Shape& shape) {
  const int one = shape.p > 1 ? 1 : 0;
  const int farthest = shape.p > 1 ? 1 << (ceil_log2(shape.p) - 1) : 0;
  return {.rounds = ceil_log2(shape.p),
          .messages = one,
          .sent = std::max(shape.p - farthest, farthest / 2) * one,
          .copied = 1};
}

extern const Algorithm binomial{
    .name = "binomial",
    .collective = toccata::gather,
    .summary = "⌈log2 p⌉ rounds; ranks relay blocks of others; for short messages",
    .citation = "thakur2005, on broadcast",
    .claim = claim,
    .relays = true,
    .pattern = "binomial_gather",
    .write = write,
};

}  // namespace toccata::algorithms::gather
