#pragma once

#include "patterns/arithmetic.h"

namespace toccata {

// Ranks as corners of a cube, 2^k of them; in dimension `distance` = 2^i every rank has one peer.
struct Hypercube {
  int rank;

  int across(int distance) const { return rank ^ distance; }
  // The lowest rank of the sub-cube of `distance` corners that holds `corner`.
  static int lowest(int corner, int distance) { return corner & ~(distance - 1); }
};

}  // namespace toccata
