#pragma once

#include <algorithm>
#include <vector>

#include "choices/tuning.h"

namespace toccata {

// The results of a run's trials, for later runs. Communicators of one shape can have different
// winners: then the one that saved the most time counts. Native saves nothing, so it counts only if
// no other algorithm won on any of them.
class LearnedResults {
 public:
  // `saved`: the seconds that the point's choice saved on one communicator.
  void add(const Tuning::Point& point, double saved) {
    const auto found = std::ranges::find_if(
        points_, [&](const Tuning::Point& other) { return other.is_at(point); });
    const auto place = found - points_.begin();
    if (found == points_.end()) {
      points_.push_back(point);
      saved_.push_back(saved);
    } else if (saved > saved_[place]) {
      points_[place] = point;
      saved_[place] = saved;
    }
  }
  const std::vector<Tuning::Point>& points() const { return points_; }

 private:
  std::vector<Tuning::Point> points_;
  std::vector<double> saved_;
};

}  // namespace toccata
