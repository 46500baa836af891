#pragma once

#include <vector>

#include "patterns/arithmetic.h"

namespace toccata {

// The distances of Träff's circulant graphs: they halve from p on, rounded up. Each is at most one
// more than the sum of all shorter ones. So every rank can reach every other rank with each
// distance used at most once.
//
//   p = 9    1 2 3 5 (9)
class Skips {
 public:
  explicit Skips(int p) : skips_(ceil_log2(p) + 1, p) {
    for (int k = rounds(); k > 0; --k) skips_[k - 1] = (skips_[k] + 1) / 2;
  }

  // ⌈log2 p⌉, one for each distance below p.
  int rounds() const { return static_cast<int>(skips_.size()) - 1; }
  // Distance k, in ascending order; p for k = rounds().
  int operator[](int k) const { return skips_[k]; }

 private:
  std::vector<int> skips_;
};

}  // namespace toccata
