#pragma once

namespace toccata {

// At distances 1, 2, 4, ..., ranks exchange the combined contributions of their groups, so groups
// double in size. The last groups may be smaller. Contributions of lower groups are included in a
// rank's result.
//
//   p = 6    {0} {1} {2} {3} {4} {5}    {0 1} {2 3} {4 5}    {0 1 2 3} {4 5}    all
//            0 > 1, 2 - 3, 4 - 5        0, 1 - 2, 3          0 > 4, 1 > 5
struct PrefixGroups {
  int p;

  // Whether any rank needs the contributions that a rank's group has before the exchange at
  // `distance`. Higher ranks need them for their results, and lower ranks to forward them.
  bool is_wanted(int rank, int distance) const {
    for (; distance < p; distance *= 2)
      if (gives(rank, rank ^ distance, distance)) return true;
    return false;
  }
  // Whether a rank sends them to `peer`.
  bool gives(int rank, int peer, int distance) const {
    return peer < p && (peer > rank || is_wanted(peer, 2 * distance));
  }
};

}  // namespace toccata
