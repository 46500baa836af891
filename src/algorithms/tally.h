#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// What the messages of all ranks come to, without their schedules: the cost of algorithms that have
// no closed form, as regions may have any sizes. It counts as the walk of a proof does.
class Tally {
 public:
  explicit Tally(int p) : ranks_(p) {}

  // One round of all ranks, or of some: `post` is called with a function (from, to, blocks), and
  // calls it for every message. One without blocks is none.
  template <typename Post>
  void round(Post&& post) {
    open_.clear();
    post([this](int from, int to, std::int64_t blocks) {
      if (blocks == 0) return;
      ++ranks_[from].messages;
      ranks_[from].sent += blocks;
      open_.push_back({from, to, std::max(ranks_[from].depth, ranks_[to].depth) + 1});
    });
    for (const Open& each : open_)
      for (const int rank : {each.from, each.to})
        ranks_[rank].depth = std::max(ranks_[rank].depth, each.depth);
  }

  // A collective among some ranks, in one of its roles: member i of `group` is its rank i, and its
  // recv block i is `widths[i]` blocks.
  struct Part {
    std::vector<int> group;
    std::vector<std::int64_t> widths;
  };
  // Several such parts at a time, all by the same schedules, one for each member, of which send and
  // recv are used.
  void run(std::span<const Schedule> schedules, std::span<const Part> parts);

  // Blocks sent by a rank.
  std::int64_t sent(int rank) const { return ranks_[rank].sent; }
  // The largest over the ranks.
  Cost largest() const;

 private:
  struct Rank {
    std::int64_t depth = 0, messages = 0, sent = 0;
  };
  struct Open {
    int from, to;
    std::int64_t depth;
  };
  std::vector<Rank> ranks_;
  std::vector<Open> open_;
};

}  // namespace toccata
