// Reduce up a binary tree in segments, which follow each other: bcast/binary in reverse.
// [sanders2009]   rounds ⌊log2 (p-1)⌋ + s   cost (⌊log2 (p-1)⌋ + s)·(α + 2·n/s·(β + γ))
//
//   p = 4, root 0, segments A B    1>2 B 3>2 B    1>2 A 3>2 A 2>0 B    2>0 A

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::reduce {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the tree", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BinaryTree tree{shape.p, shape.root};
  schedule.then(up(tree.place(rank), shape.parts, tree.depth()));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = shape.parts};
  const BinaryTree tree{shape.p, 0};
  return {.rounds = tree.depth() + shape.parts - 1,
          .messages = shape.parts,
          .sent = shape.parts,
          .copied = shape.parts,
          .reduced = shape.p < 4 ? shape.parts : 2 * shape.parts};
}

extern const Algorithm binary{
    .name = "binary",
    .collective = toccata::reduce,
    .summary = "pipelined segments up a binary tree; for medium messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
