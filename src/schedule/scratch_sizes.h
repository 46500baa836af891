#pragma once

#include <algorithm>
#include <vector>

#include "schedule/block_range.h"

namespace toccata {

// The blocks from which a schedule's scratch blocks take their sizes.
class ScratchSizes {
 public:
  explicit ScratchSizes(const BlockRanges& like) {
    for (const BlockRange& each : like)
      for (int run = 0; run < each.repeat && each.count > 0; ++run) {
        runs_.push_back({each.buffer, each.first + run * each.stride, each.count});
        begin_.push_back(blocks_);
        blocks_ += each.count;
      }
  }

  // These blocks for the scratch blocks of a range, in as few runs as possible.
  BlockRanges of(const BlockRange& range) const {
    BlockRanges result;
    for (int run = 0; run < range.repeat; ++run)
      append_run(range.first + run * range.stride, range.count, result);
    return result;
  }

 private:
  void append_run(int first, int count, BlockRanges& result) const {
    auto at = std::ranges::upper_bound(begin_, first) - begin_.begin() - 1;
    for (; count > 0; ++at) {
      const int skipped = first - begin_[at], some = std::min(count, runs_[at].count - skipped);
      append(result, {runs_[at].buffer, runs_[at].first + skipped, some});
      first += some;
      count -= some;
    }
  }

  BlockRanges runs_;
  std::vector<int> begin_;  // of each run, in scratch
  int blocks_ = 0;
};

}  // namespace toccata
