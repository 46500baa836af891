#pragma once

#include "patterns/binary_tree.h"
#include "schedule/combinators.h"

namespace toccata {

// Segments that follow each other along the edges of a tree. Segment i is recv block i and, in a
// reduction, send block i. `deepest` is the greatest depth of a rank.

// Downwards: a rank forwards a segment to all children at once, in the round after it arrived.
Schedule down(const TreePlace& place, int segments);

// Upwards: the reverse, with contributions instead of data.
Schedule up(const TreePlace& place, int segments, int deepest);

// Upwards and downwards: a segment goes down as soon as it has reached the root, while later ones
// are still on their way up.
Schedule up_and_down(const TreePlace& place, int segments, int deepest);

// Two trees at the same time, each for every second segment. `over_tree(turned, segments)` returns
// the schedule for one of them.
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
