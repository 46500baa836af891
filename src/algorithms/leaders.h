#pragma once

#include <string>

#include "algorithms/flat.h"
#include "topology/placement.h"

namespace toccata {

// Allgather by leaders: each region gathers to its first rank, these leaders exchange what they
// have by an allgather that knows of no levels, and broadcast all of it in their regions.
// [mirsadeghi2016, section II; kandalla2009]
class Leaders {
 public:
  // How, as parameters of the algorithms that do this.
  static const Parameter& exchange();
  static const Parameter& local();

  Leaders(Regions regions, const Shape& shape);

  std::string why_impossible() const;
  Schedule schedule(int rank) const;

 private:
  Regions regions_;
  Flat exchange_;
  bool linear_;
};

}  // namespace toccata
