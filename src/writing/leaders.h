#pragma once

#include <string>

#include "writing/levels.h"

namespace toccata {

// Allgather by leaders: each region gathers to its leader, on every level. The outermost leaders
// exchange their blocks with a flat allgather, and broadcast all blocks in their regions.
// [mirsadeghi2016, section II; kandalla2009]
class Leaders {
 public:
  // The parameters of such algorithms.
  static const Parameter& exchange();
  static const Parameter& local();

  Leaders(Levels levels, const Shape& shape);

  std::string why_impossible() const;
  void write(int rank, ScheduleBuilder& schedule) const;
  // The cost of a leader, for even regions. It copies only its own block.
  std::optional<Cost> claim() const;

 private:
  Levels levels_;
  Flat exchange_, gather_, broadcast_;
  int p_;
};

}  // namespace toccata
