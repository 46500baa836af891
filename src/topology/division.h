#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// Ranks divided by the levels of a machine, one inside the other, outermost first. Levels that do
// not divide are left out.
//
//   8 ranks on node:2 socket:2 core:2    regions()            {0 1 2 3} {4 5 6 7}
//                                        inside(1).regions()  {0 1} {2 3}
class Division {
 public:
  // All ranks of a placement, which has to live as long; null where nothing is known of it. By
  // these levels of the machine, or by all.
  explicit Division(const Placement* placement);
  Division(const Placement* placement, std::vector<int> levels);

  // Whether there is a level that divides.
  bool divides() const { return regions_ != nullptr; }
  const Regions& regions() const { return *regions_; }
  // The members of a region as ranks 0, 1, ..., by the levels further in.
  Division inside(int region) const;
  // The levels further in than the one of these regions.
  std::span<const int> further_in() const { return std::span(levels_).subspan(next_); }

 private:
  const Placement* placement_;
  std::vector<int> levels_;
  std::vector<int> ranks_;                  // of the placement; empty for all of them
  std::size_t next_ = 0;                    // in levels_: behind the one that regions_ are of
  std::shared_ptr<const Regions> regions_;  // null where nothing divides
};

// The regions in which an algorithm of two levels sees p ranks: the nodes; where no level of that
// name divides, those of the outermost level that does; where none does, every rank for itself.
std::shared_ptr<const Regions> node_regions(const std::shared_ptr<const Placement>& placement,
                                            int p);

}  // namespace toccata
