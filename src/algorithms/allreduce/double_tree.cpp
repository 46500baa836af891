// Allreduce over two binary trees at the same time, each for half of the segments. The segments
// follow each other up to rank 0 and down again: one goes down while others are on their way up.
// [sanders2009]   rounds 2·⌊log2 (p-1)⌋ + ⌈s/2⌉ + 1   cost rounds·(α + 3·n/s·β + 2·n/s·γ)
//
//   p = 4, segments A B    1>2 A 3>2 A  2>3 B 1>3 B    2>0 A 3>0 B    0>2 A 0>3 B
//                          2>1 A 2>3 A  3>2 B 3>1 B

#include <algorithm>

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::allreduce {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the trees", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(over_two_trees(shape.parts, [&](bool turned, int segments_of_it) {
    const BinaryTree tree{shape.p, 0, turned};
    return up_and_down(tree.place(rank), segments_of_it, tree.depth());
  }));
}

// Each rank except rank 0 is an inner rank of one tree and a leaf of the other.
static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = shape.parts};
  const BinaryTree tree{shape.p, 0};
  const int half = (shape.parts + 1) / 2, children = std::min(shape.p - 2, 2);
  return {.rounds = 2 * tree.depth() + half - 1,
          .messages = shape.parts + children * half,
          .sent = shape.parts + children * half,
          .copied = shape.parts,
          .reduced = shape.p < 4 ? shape.parts : 2 * half};
}

extern const Algorithm double_tree{
    .name = "double_tree",
    .collective = toccata::allreduce,
    .summary = "segments up two binary trees and down again; for long messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
