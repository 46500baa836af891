#pragma once

#include <vector>

#include "patterns/skips.h"

namespace toccata {

// Which segment of a message goes where in a broadcast of n segments in n - 1 + ⌈log2 p⌉ rounds,
// the least there can be: every rank sends one and receives one in every round, over distances that
// are those of Skips, again and again. [traff2024]
//
// A rank's pattern has a number for each of the q = ⌈log2 p⌉ distances, and repeats: whenever all
// distances have been used, all numbers are q larger. Numbers below 0 are nothing yet, those from n
// on are the last segment. So that it ends with the last distance, it may begin in the middle.
//
//   p = 5, distances 1 2 3    rank     0    1    2    3    4
//                    receives over 1  -3    0   -3   -2   -1
//                                  2  -1   -1    1   -3   -2
//                                  3  -2   -2   -1    2    0
//
// The root is rank 0, and what it would receive is left out.
class SegmentPattern {
 public:
  SegmentPattern(int p, int segments);

  int rounds() const;
  int distance(int round) const { return skips_[place(round)]; }

  // The patterns of a rank, in O(log p) and O(log² p).
  std::vector<int> received(int rank) const;
  std::vector<int> sent(int rank) const;

  // Of a pattern, the segment of that round; -1 for none.
  int segment(const std::vector<int>& pattern, int round) const {
    return segment(pattern[place(round)], round);
  }
  int segment(int number, int round) const;

  // Which of the distances a round uses.
  int place(int round) const { return (round + begin_) % skips_.rounds(); }

 private:
  // The last distance on the way from the root to a rank: the first segment that comes there.
  int first_segment(int rank) const;

  int p_, segments_;
  Skips skips_;
  int begin_;
};

}  // namespace toccata
