#pragma once

#include "patterns/arithmetic.h"

namespace toccata {

// Ranks on a circle that communicate over fixed distances: the ring (distance 1), and the graphs of
// Bruck and Sparbit (distances that double or halve).
struct Circulant {
  int p;
  int rank;

  int above(int distance) const { return wrap(rank + distance, p); }
  int below(int distance) const { return wrap(rank - distance, p); }
};

}  // namespace toccata
