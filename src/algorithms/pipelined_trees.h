#pragma once

#include "patterns/binary_tree.h"
#include "schedule/combinators.h"

namespace toccata {

// Segments that follow each other along the edges of a tree: recv block i, and send block i of a
// reduction, is segment i. `deepest` is
// the greatest depth of a rank.

// Downwards: a segment goes on to all children at once in the round after it came.
Schedule down(const TreePlace& place, int segments);

// Upwards: the same played backwards, contributions instead of data.
Schedule up(const TreePlace& place, int segments, int deepest);

// Upwards, and down again as soon as a segment has reached the root, while others are still on
// their way up.
Schedule up_and_down(const TreePlace& place, int segments, int deepest);

// Two trees at the same time, each for every other segment. `over_tree(turned, segments)` is a
// schedule over one of them.
template <typename OverTree>
Schedule over_two_trees(int segments, OverTree&& over_tree) {
  const auto every_other = [&](int first) {
    const auto blocks = [&](Buffer buffer) { return BlockMap::affine(buffer, first, 2); };
    return on(over_tree(first == 1, (segments + 1 - first) / 2), blocks(Buffer::send),
              blocks(Buffer::recv));
  };
  return beside(every_other(0), every_other(1));
}

}  // namespace toccata
