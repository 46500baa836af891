#pragma once

#include <span>
#include <vector>

#include "schedule/schedule.h"
#include "topology/placement.h"

namespace toccata {

// A round in which the ranks of each region fetch data of other regions. Every region holds the
// data of `held` regions, beginning with its own. Lane k fetches those of the region that is
// k · held further on, without data that the region has. Lane 1 is the local rank `first`; the
// ranks after it have the next lanes, and a rank of a small region has several.
//
//   3 regions, held 1, 2 lanes    0: lane 1 fetches B of 1, lane 2 fetches C of 2
class RegionFetch {
 public:
  RegionFetch(const Regions& regions, int rank, int held, int lanes, int first);

  const Schedule& round() const { return round_; }
  // By local rank: the blocks that it fetched.
  const std::vector<BlockRanges>& fetched() const { return fetched_; }

 private:
  Schedule round_;
  std::vector<BlockRanges> fetched_;
};

// The maximum number of rounds of an allgather/locality_bruck in a region of up to `size` ranks,
// which these levels may divide. Regions differ, but their rounds must be aligned. An additional
// empty round costs nothing.
int doubling_rounds(const Placement& placement, std::span<const int> levels, int size);

}  // namespace toccata
