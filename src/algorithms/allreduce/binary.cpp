// Allreduce over a binary tree in segments, which follow each other up to rank 0 and down again. A
// segment goes down while others are on their way up.
// [sanders2009]   rounds 2·⌊log2 (p-1)⌋ + s + 1   cost rounds·(α + 3·n/s·β + 2·n/s·γ)
//
//   p = 3, segments A B    1>2 B    2>0 B 1>2 A    0>2 B 2>0 A    2>1 B 0>2 A    2>1 A

#include <algorithm>

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::allreduce {

static const Parameter segments =
    number_of_segments("s: segments, which follow each other along the tree", {1, 6, 7});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BinaryTree tree{shape.p, 0};
  schedule.then(up_and_down(tree.place(rank), shape.parts, tree.depth()));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = shape.parts};
  const BinaryTree tree{shape.p, 0};
  const int links = std::min(shape.p - 1, 3);  // of an inner rank: to its parent and its children
  return {.rounds = 2 * tree.depth() + shape.parts - 1,
          .messages = links * shape.parts,
          .sent = links * shape.parts,
          .copied = shape.parts,
          .reduced = shape.p < 4 ? shape.parts : 2 * shape.parts};
}

extern const Algorithm binary{
    .name = "binary",
    .collective = toccata::allreduce,
    .summary = "pipelined segments up a binary tree and down again; for medium messages",
    .citation = "sanders2009",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
