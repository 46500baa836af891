// Scatter down a Bine tree: in every round, each rank that has blocks forwards those of one child's
// subtree, whose ranks are consecutive. If p is not a power of two, ranks are folded in pairs.
// [desensi2025]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β
//
//   p = 8, root 0   round 0: 0>3 c d e f    round 1: 0>7 g h 3>4 e f    round 2: 0>1 b 7>6 g ...

#include "patterns/bine.h"

#include <bit>

#include "writing/algorithm.h"

namespace toccata::algorithms::scatter {

static int bits_below(int distance) { return std::countr_zero(static_cast<unsigned>(distance)); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BineTree bine = BineTree::of(shape.p, rank, shape.root);
  const Binomial& tree = bine.tree;
  const int twin = FoldedCube::twin(rank);
  const bool is_root = rank == shape.root, idle = rank != bine.rank(tree.self);

  // The blocks of our subtree belong to ranks below us and above us. A rank other than the root has
  // them in scratch.
  int below = 0, above = 0;
  if (!is_root && !idle) {
    const BineTree::Ranks all = bine.subtree(tree.self, bits_below(tree.reach()));
    below = wrap(rank - all.first, shape.p);
    above = all.count - 1 - below;
    schedule.scratch(circular(Buffer::send, rank - below, below, shape.p));
    schedule.scratch(circular(Buffer::send, rank + 1, above, shape.p));
  }
  const auto blocks = [&](const BineTree::Ranks& ranks) {
    if (is_root) return circular(Buffer::send, ranks.first, ranks.count, shape.p);
    const int place = wrap(ranks.first - (rank - below), shape.p);
    return BlockRanges{{Buffer::scratch, place < below ? place : place - 1, ranks.count}};
  };

  schedule.round();
  if (is_root) schedule.copy(send(rank), recv(0));
  for (int distance = tree.farthest(); distance > 0; distance /= 2) {
    schedule.round();
    if (idle) continue;
    if (distance == tree.reach()) {
      BlockRanges ours;
      append(ours, {Buffer::scratch, 0, below});
      append(ours, recv(0));
      append(ours, {Buffer::scratch, below, above});
      schedule.recv(bine.rank(tree.parent()), ours);
    }
    if (const int child = tree.self + distance; tree.has_child(distance))
      schedule.send(bine.rank(child), blocks(bine.subtree(child, bits_below(distance))));
  }
  if (bine.cube.in_pair(rank))
    idle ? schedule.round().recv(twin, recv(0)) : schedule.round().send(twin, blocks({twin, 1}));
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, shape.root};
  return {.rounds = ceil_log2(shape.p),
          .messages = floor_log2(shape.p) + (cube.in_pair(shape.root) ? 1 : 0),
          .sent = shape.p - 1,
          .copied = 1};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::scatter,
    .summary = "⌈log2 p⌉ rounds over distances a third shorter than binomial's; for short messages",
    .citation = "desensi2025",
    .claim = claim,
    .relays = true,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
