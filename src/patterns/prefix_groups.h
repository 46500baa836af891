#pragma once

namespace toccata {

// Ranks exchange the contributions of their groups at distances 1, 2, 4, ..., so groups double in
// size; the last ones may be smaller. Results include contributions from lower groups.
//
//   p = 6    {0} {1} {2} {3} {4} {5}    {0 1} {2 3} {4 5}    {0 1 2 3} {4 5}    all
//            0 > 1, 2 - 3, 4 - 5        0, 1 - 2, 3          0 > 4, 1 > 5
struct PrefixGroups {
  int p;

  // Whether any rank needs the contributions of a rank's group before the exchange at `distance`:
  // higher ranks for their results, lower ranks to forward them.
  bool is_wanted(int rank, int distance) const {
    for (; distance < p; distance *= 2)
      if (gives(rank, rank ^ distance, distance)) return true;
    return false;
  }
  // Whether a rank sends them to another rank.
  bool gives(int rank, int peer, int distance) const {
    return peer < p && (peer > rank || is_wanted(peer, 2 * distance));
  }
};

}  // namespace toccata
