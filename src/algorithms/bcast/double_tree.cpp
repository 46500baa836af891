// Broadcast down two binary trees at the same time, each for half of the segments. A rank that
// forwards segments in one tree is a leaf of the other, so every rank sends as much as it receives.
// [sanders2009]   rounds ⌊log2 (p-1)⌋ + ⌈s/2⌉   cost rounds·(α + 2·n/s·β)
//
//   p = 4, root 0, segments A B    0>2 A 0>3 B    2>1 A 2>3 A  3>2 B 3>1 B
//
// The paper colours the edges, so that no rank sends or receives more than one segment at a time.
// Here, one round contains both segments and corresponds to two rounds of the paper.

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the trees", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(over_two_trees(shape.parts, [&](bool turned, int segments_of_it) {
    const BinaryTree tree{shape.p, shape.root, turned};
    return down(tree.place(rank), segments_of_it);
  }));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  const BinaryTree tree{shape.p, 0};
  const int most = shape.p < 4 ? shape.parts : (shape.parts + 1) / 2 * 2;
  return {.rounds = tree.depth() + (shape.parts + 1) / 2 - 1, .messages = most, .sent = most};
}

extern const Algorithm double_tree{
    .name = "double_tree",
    .collective = toccata::bcast,
    .summary =
        "segments down two binary trees; all ranks forward the same amount; for long messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
