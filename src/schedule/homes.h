#pragma once

#include <vector>

#include "schedule/block_range.h"

namespace toccata {

// What the blocks of a schedule's scratch are like.
class Homes {
 public:
  explicit Homes(const BlockRanges& like) {
    for (const BlockRange& each : like)
      for_each_block(each, [&](int block) { all_.push_back({each.buffer, block}); });
  }

  // For those of a range, in as few runs as can be.
  BlockRanges of(const BlockRange& range) const {
    BlockRanges runs;
    for_each_block(range, [&](int block) {
      const BlockRange& home = all_[block];
      if (!runs.empty() && runs.back().buffer == home.buffer &&
          runs.back().first + runs.back().count == home.first)
        ++runs.back().count;
      else
        runs.push_back(home);
    });
    return runs;
  }

 private:
  std::vector<BlockRange> all_;
};

}  // namespace toccata
