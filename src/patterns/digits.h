#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/block_range.h"

namespace toccata {

// The movement of blocks in Bruck's all-to-all. Block j of a rank must move up by j ranks, 0 <= j <
// p. For every digit of j in base `radix` that is not 0, it moves up by digit · weight ranks. All
// blocks with the same digit of the same weight move together:
//
//   p = 6, radix 2    weight 1: blocks 1 3 5    weight 2: blocks 2 3      weight 4: blocks 4 5
//   p = 6, radix 3    weight 1: blocks 1 4, then blocks 2 5               weight 3: blocks 3 4 5
struct Hop {
  int p;
  int radix;
  std::int64_t weight;
  int digit;

  int distance() const { return static_cast<int>(digit * weight); }
  BlockRanges blocks(Buffer buffer) const {
    return runs_below(buffer, distance(), weight, weight * radix, p);
  }
  int count() const { return static_cast<int>(toccata::blocks(blocks(Buffer::recv))); }
};

template <typename Visit>
void for_each_hop(int p, int radix, Visit&& visit) {
  for (std::int64_t weight = 1; weight < p; weight *= radix)
    for (int digit = 1; digit < radix && digit * weight < p; ++digit)
      visit(Hop{p, radix, weight, digit});
}

// The hops of a rank: their number, and the blocks that they move.
struct Hops {
  int number = 0;
  std::int64_t blocks = 0;
  int most_blocks = 0;  // in one hop

  Hops(int p, int radix) {
    for_each_hop(p, radix, [&](const Hop& hop) {
      const int count = hop.count();
      ++number;
      blocks += count;
      most_blocks = std::max(most_blocks, count);
    });
  }
};

}  // namespace toccata
