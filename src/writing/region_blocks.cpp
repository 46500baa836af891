#include "writing/region_blocks.h"

#include <algorithm>

#include "patterns/arithmetic.h"

namespace toccata {

// Runs of consecutive ranks are appended as a whole. The ranks of a cyclic placement are runs of
// the same length, so they become one strided range.
BlockRanges blocks_of(std::span<const int> ranks) {
  BlockRanges blocks;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    while (end < ranks.size() && ranks[end] - ranks[begin] == static_cast<int>(end - begin)) ++end;
    append(blocks, recv(ranks[begin], static_cast<int>(end - begin)));
  }
  return blocks;
}

BlockRanges blocks_of(const Regions& regions, int first, int count) {
  const auto region = [&](int i) { return wrap(first + i, regions.number()); };
  if (regions.consecutive()) {
    const int begin = regions.members(first).front();
    const int last = regions.members(region(count - 1)).back();
    return circular(Buffer::recv, begin, wrap(last - begin, regions.ranks()) + 1, regions.ranks());
  }
  // The ranks in ascending order. If they are a large part of all ranks, a pass over all ranks is
  // faster.
  std::vector<int> ranks;
  if (count > regions.number() / 8) {
    for (int rank = 0; rank < regions.ranks(); ++rank) {
      const int distance = regions.of(rank) - first;
      if ((distance < 0 ? distance + regions.number() : distance) < count) ranks.push_back(rank);
    }
    return blocks_of(ranks);
  }
  for (int i = 0; i < count; ++i) {
    const auto members = regions.members(region(i));
    ranks.insert(ranks.end(), members.begin(), members.end());
  }
  std::ranges::sort(ranks);
  return blocks_of(ranks);
}

}  // namespace toccata
