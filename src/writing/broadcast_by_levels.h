#pragma once

#include "writing/levels.h"

namespace toccata {

// A broadcast by levels in segments; in reverse, it is a reduction.
class BroadcastByLevels {
 public:
  static const Parameter& between();
  static const Parameter& inside();
  static const Parameter& segments();

  explicit BroadcastByLevels(const Shape& shape);

  Schedule schedule(int rank) const;
  // The cost of the broadcast for one segment and even regions. The root leads on all levels, so it
  // sends most.
  std::optional<Cost> claim() const;
  int rounds() const;

 private:
  Levels levels_;
  Flat between_, inside_;
  int segments_, delay_;
};

}  // namespace toccata
