#include "patterns/segment_pattern.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace toccata {

SegmentPattern::SegmentPattern(int p, int segments)
    : p_(p),
      segments_(segments),
      skips_(p),
      begin_(p == 1 ? 0 : wrap(1 - segments, skips_.rounds())) {}

int SegmentPattern::rounds() const { return p_ == 1 ? 0 : segments_ - 1 + skips_.rounds(); }

int SegmentPattern::segment(int number, int round) const {
  const int shifted = number + round - place(round);
  return shifted < 0 ? -1 : std::min(shifted, segments_ - 1);
}

int SegmentPattern::first_segment(int rank) const {
  int k = skips_.rounds();
  while (rank > 0)
    if (skips_[--k] <= rank) rank -= skips_[k];
  return k;
}

namespace {

// Follows the paths from the root that use each distance at most once, the longest distances first.
// For round k, it takes the last distance of the first path that ends within reach of that round:
// at least skip k below the rank, but less than skip k + 1. A taken distance is not used again.
class Search {
 public:
  Search(const Skips& skips, int but) : skips_(skips), unused_(~(1ULL << but)) {}

  // `to_go` is the remaining distance, `nearest` the smallest one that a path has reached.
  void go(int to_go, int nearest, int k) {
    for (; k >= 0; k = below(k)) {
      const int left = to_go - skips_[k];
      if (left < skip(round()) || left <= nearest) continue;
      if (left >= skip(round() + 1)) go(left, nearest, k);
      if (to_go < skip(round() + 1)) return;
      nearest = left;
      taken.push_back(k);
      unused_ &= ~(1ULL << k);
    }
  }
  int below(int k) const { return std::bit_width(unused_ & ((1ULL << k) - 1)) - 1; }

  std::vector<int> taken;

 private:
  int round() const { return static_cast<int>(taken.size()); }
  int skip(int k) const {
    return k <= skips_.rounds() ? skips_[k] : std::numeric_limits<int>::max();
  }

  const Skips& skips_;
  std::uint64_t unused_;
};

}  // namespace

// On the circle, the root is p below itself, so paths lead to rank + p. The path that ends at the
// root (index q, a "distance" of p) brings this rank's first segment. All other segments arrive one
// repetition of the pattern later, so their numbers are lower by q.
std::vector<int> SegmentPattern::received(int rank) const {
  const int q = skips_.rounds(), first = first_segment(rank);
  Search search(skips_, first);
  search.go(rank + p_, 0, rank == 0 ? q - 1 : q);
  for (int& each : search.taken) each = each == q ? first : each - q;
  return std::move(search.taken);
}

// The segments that the ranks at these distances above us receive.
std::vector<int> SegmentPattern::sent(int rank) const {
  std::vector<int> pattern;
  for (int k = 0; k < skips_.rounds(); ++k)
    pattern.push_back(received(wrap(std::int64_t{rank} + skips_[k], p_))[k]);
  return pattern;
}

}  // namespace toccata
