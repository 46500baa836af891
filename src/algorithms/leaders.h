#pragma once

#include <string>

#include "algorithms/levels.h"

namespace toccata {

// Allgather by leaders: each region gathers to its leader, on as many levels as there are, the
// outermost leaders exchange what they have by an allgather that knows of no levels, and broadcast
// all of it in their regions. [mirsadeghi2016, section II; kandalla2009]
class Leaders {
 public:
  // How, as parameters of the algorithms that do this.
  static const Parameter& exchange();
  static const Parameter& local();

  Leaders(Levels levels, const Shape& shape);

  std::string why_impossible() const;
  void write(int rank, ScheduleBuilder& schedule) const;

 private:
  Levels levels_;
  Flat exchange_, gather_, broadcast_;
  int p_;
};

}  // namespace toccata
