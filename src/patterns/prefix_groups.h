#pragma once

namespace toccata {

// Ranks that swap what their groups contribute, at distances 1, 2, 4, ..., so that groups double;
// those at the end may be smaller. Results take in what comes from below.
//
//   p = 6    {0} {1} {2} {3} {4} {5}    {0 1} {2 3} {4 5}    {0 1 2 3} {4 5}    all
//            0 > 1, 2 - 3, 4 - 5        0, 1 - 2, 3          0 > 4, 1 > 5
struct PrefixGroups {
  int p;

  // Whether any rank has a use for what a rank's group contributes before the swap at `distance`:
  // ranks above for their results, those below for what they give to others.
  bool is_wanted(int rank, int distance) const {
    for (; distance < p; distance *= 2)
      if (gives(rank, rank ^ distance, distance)) return true;
    return false;
  }
  // Whether a rank sends that to another one.
  bool gives(int rank, int peer, int distance) const {
    return peer < p && (peer > rank || is_wanted(peer, 2 * distance));
  }
};

}  // namespace toccata
