#pragma once

#include <vector>

#include "patterns/skips.h"

namespace toccata {

// The paths of the segments in a broadcast of n segments. It takes n - 1 + ⌈log2 p⌉ rounds, which
// is the minimum. In every round, every rank sends one segment and receives one, over the distances
// of Skips in cyclic order. [traff2024]
//
// A rank's pattern has one number for each of the q = ⌈log2 p⌉ distances: the segment that moves
// over this distance. After all distances have been used, the pattern repeats, and all numbers grow
// by q. Numbers below 0 mean no segment, numbers from n on the last segment. The pattern may begin
// in the middle so that it ends with the last distance.
//
//   p = 5, distances 1 2 3    rank     0    1    2    3    4
//                    receives over 1  -3    0   -3   -2   -1
//                                  2  -1   -1    1   -3   -2
//                                  3  -2   -2   -1    2    0
//
// The root is rank 0; its received segments are left out.
class SegmentPattern {
 public:
  SegmentPattern(int p, int segments);

  int rounds() const;
  int distance(int round) const { return skips_[place(round)]; }

  // The patterns of a rank, in O(log p) and O(log² p).
  std::vector<int> received(int rank) const;
  std::vector<int> sent(int rank) const;

  // The segment of a pattern in that round; -1 for none.
  int segment(const std::vector<int>& pattern, int round) const {
    return segment(pattern[place(round)], round);
  }
  int segment(int number, int round) const;

  // The index of the distance that a round uses.
  int place(int round) const { return (round + begin_) % skips_.rounds(); }

 private:
  // The index of the last distance on the path from the root to a rank. It is also the number of
  // the first segment that arrives there.
  int first_segment(int rank) const;

  int p_, segments_;
  Skips skips_;
  int begin_;
};

}  // namespace toccata
