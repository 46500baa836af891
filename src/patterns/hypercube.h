#pragma once

#include "patterns/arithmetic.h"

namespace toccata {

// 2^k ranks as the corners of a cube. In dimension i, every rank has one peer, at `distance` 2^i.
struct Hypercube {
  int rank;

  int across(int distance) const { return rank ^ distance; }
  // The lowest rank of the sub-cube of `distance` corners that contains `corner`.
  static int lowest(int corner, int distance) { return corner & ~(distance - 1); }
};

}  // namespace toccata
