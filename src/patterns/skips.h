#pragma once

#include <vector>

#include "patterns/arithmetic.h"

namespace toccata {

// Distances that halve from p on, rounded up: those of circulant graphs by Träff. Each is at most
// the sum of all shorter ones and one more, so that every rank can be reached from every other with
// each of them used once at most.
//
//   p = 9    1 2 3 5 (9)
class Skips {
 public:
  explicit Skips(int p) : skips_(ceil_log2(p) + 1, p) {
    for (int k = rounds(); k > 0; --k) skips_[k - 1] = (skips_[k] + 1) / 2;
  }

  // ⌈log2 p⌉, one for each distance below p.
  int rounds() const { return static_cast<int>(skips_.size()) - 1; }
  // The one behind the last is p.
  int operator[](int k) const { return skips_[k]; }

 private:
  std::vector<int> skips_;
};

}  // namespace toccata
