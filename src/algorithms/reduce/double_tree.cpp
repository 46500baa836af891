// Reduce up two binary trees at the same time, each for half of the segments: bcast/double_tree in
// reverse.
// [sanders2009]   rounds ⌊log2 (p-1)⌋ + ⌈s/2⌉   cost rounds·(α + 2·n/s·(β + γ))
//
//   p = 4, root 0, segments A B    1>2 A 3>2 A  2>3 B 1>3 B    2>0 A 3>0 B

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::reduce {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the trees", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(over_two_trees(shape.parts, [&](bool turned, int segments_of_it) {
    const BinaryTree tree{shape.p, shape.root, turned};
    return up(tree.place(rank), segments_of_it, tree.depth());
  }));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = shape.parts};
  const BinaryTree tree{shape.p, 0};
  return {.rounds = tree.depth() + (shape.parts + 1) / 2 - 1,
          .messages = shape.parts,
          .sent = shape.parts,
          .copied = shape.parts,
          .reduced = shape.p < 4 ? shape.parts : (shape.parts + 1) / 2 * 2};
}

extern const Algorithm double_tree{
    .name = "double_tree",
    .collective = toccata::reduce,
    .summary = "segments up two binary trees; all ranks forward the same amount; for long messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
