// Broadcast down a binary tree in segments, which follow each other: every rank forwards a segment
// to its two children in the round after its arrival.
// [sanders2009]   rounds ⌊log2 (p-1)⌋ + s   cost (⌊log2 (p-1)⌋ + s)·(α + 2·n/s·β)
//
//   p = 4, root 0, segments A B    0>2 A    0>2 B 2>1 A 2>3 A    2>1 B 2>3 B

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the tree", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(down(BinaryTree{shape.p, shape.root}.place(rank), shape.parts));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  const BinaryTree tree{shape.p, 0};
  const int most = shape.p < 4 ? shape.parts : 2 * shape.parts;
  return {.rounds = tree.depth() + shape.parts - 1, .messages = most, .sent = most};
}

extern const Algorithm binary{
    .name = "binary",
    .collective = toccata::bcast,
    .summary = "pipelined segments down a binary tree; for medium messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
