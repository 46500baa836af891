#pragma once

#include "patterns/arithmetic.h"

namespace toccata {

// Ranks as corners of a cube, 2^k of them; every rank has one peer in dimension `distance` = 2^i.
struct Hypercube {
  int rank;

  int across(int distance) const { return rank ^ distance; }
  // The lowest rank of the sub-cube of `distance` corners that contains `corner`.
  static int lowest(int corner, int distance) { return corner & ~(distance - 1); }
};

}  // namespace toccata
