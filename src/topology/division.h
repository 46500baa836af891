#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// The ranks, divided by nested levels of a machine, outermost first. Levels that do not divide the
// ranks are left out.
//
//   8 ranks on node:2 socket:2 core:2    regions()            {0 1 2 3} {4 5 6 7}
//                                        inside(1).regions()  {0 1} {2 3}
class Division {
 public:
  // All ranks of a placement, divided by the given levels of the machine, or by all. The placement
  // must exist as long as the division; null if it is unknown.
  explicit Division(const Placement* placement);
  Division(const Placement* placement, std::vector<int> levels);

  // Whether any level divides the ranks.
  bool divides() const { return regions_ != nullptr; }
  const Regions& regions() const { return *regions_; }
  // The members of a region as ranks 0, 1, ..., by the levels further in.
  Division inside(int region) const;
  // The levels inside these regions.
  std::span<const int> further_in() const { return std::span(levels_).subspan(next_); }

 private:
  const Placement* placement_;
  std::vector<int> levels_;
  std::vector<int> ranks_;                  // of the placement; empty for all of them
  std::size_t next_ = 0;                    // index in levels_ after the level of regions_
  std::shared_ptr<const Regions> regions_;  // null if no level divides
};

// The regions of p ranks for an algorithm of two levels: the nodes. If no level "node" divides the
// ranks, the regions of the outermost level that does. If no level does, one region per rank.
std::shared_ptr<const Regions> node_regions(const std::shared_ptr<const Placement>& placement,
                                            int p);

}  // namespace toccata
