#include "deciding/learned_results.h"

#include <algorithm>

namespace toccata {

void LearnedResults::add(const Tuning::Point& point, double saved) {
  const auto found =
      std::ranges::find_if(points_, [&](const Tuning::Point& other) { return other.is_at(point); });
  const auto place = found - points_.begin();
  if (found == points_.end()) {
    points_.push_back(point);
    saved_.push_back(saved);
  } else if (saved > saved_[place]) {
    points_[place] = point;
    saved_[place] = saved;
  }
}

}  // namespace toccata
