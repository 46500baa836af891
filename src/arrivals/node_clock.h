#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace toccata {

// All times are in nanoseconds.

// A message to another node and its answer: when we sent and received, by our clock, and the time
// in the answer, by the other clock.
struct RoundTrip {
  std::int64_t sent = 0, answered = 0, received = 0;

  std::int64_t duration() const { return received - sent; }
};

// The other clock at a time was ahead of ours by `ahead`, at most `error` more or less.
struct Offset {
  std::int64_t at = 0;  // by the other clock
  std::int64_t ahead = 0, error = 0;
};

// From the shortest round trip: the answer was written between `sent` and `received`.
inline Offset offset_of(std::span<const RoundTrip> trips) {
  const RoundTrip& best = *std::ranges::min_element(trips, {}, &RoundTrip::duration);
  const std::int64_t half = best.duration() / 2;
  return {best.answered, best.answered - (best.sent + half), half + 1};
}

// A clock relative to that of rank 0. Its offset was measured at the begin and the end of the run;
// between these, the drift is constant.
class NodeClock {
 public:
  NodeClock() = default;
  NodeClock(const Offset& first, const Offset& last) : first_(first), last_(last) {}

  // The time of rank 0's clock when this clock shows `time`.
  std::int64_t of_rank_0(std::int64_t time) const {
    if (last_.at == first_.at) return time - first_.ahead;
    const double part =
        static_cast<double>(time - first_.at) / static_cast<double>(last_.at - first_.at);
    const auto drift = static_cast<double>(last_.ahead - first_.ahead);
    return time - first_.ahead - static_cast<std::int64_t>(part * drift);
  }
  std::int64_t error() const { return std::max(first_.error, last_.error); }

 private:
  Offset first_, last_;
};

}  // namespace toccata
