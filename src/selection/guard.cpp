#include "selection/guard.h"

#include <algorithm>
#include <limits>

namespace toccata {

namespace {

constexpr double many_times = 3;         // slower: cut off after the first try
constexpr double hopeless = 1.5;         // slower, compared: not tried again
constexpr double clearly = 0.98;         // of the time: takes over
constexpr double expected_excess = 0.5;  // of an untried way's call, which is expected to be faster
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

}  // namespace

bool Guard::ended_trial(double seconds) {
  seconds_.push_back(seconds);
  return seconds_.size() == trial_.size();
}

// Each call's time, and its negative, of which the least is the most.
std::vector<double> Guard::ballot() const {
  std::vector<double> result(seconds_);
  for (const double each : seconds_) result.push_back(-each);
  result.push_back(-agreement_);
  return result;
}

// `warm`: without a way's first call of a first try, which may have had to set things up.
double Guard::score(std::span<const double> least, int way, bool warm) const {
  const std::size_t calls = trial_.size();
  std::vector<double> times;
  for (std::size_t call = 0; call < calls; ++call)
    if (trial_[call] == way) times.push_back(one_way_ ? -least[calls + call] : least[call]);
  if (warm && times.size() > 1) times.erase(times.begin());
  std::ranges::sort(times);
  return std::max(times[one_way_ ? 0 : (times.size() - 1) / 2], 1e-9);
}

void Guard::agree(std::span<const double> least, double agreement) {
  const std::size_t calls = trial_.size();
  const double standing = score(least, stands_, false);
  ways_[stands_].seconds = standing;
  int challenger = stands_;
  for (std::size_t call = 0; call < calls; ++call) {
    if (trial_[call] == stands_) continue;
    challenger = trial_[call];
    excess_ += std::max(0.0, (one_way_ ? -least[calls + call] : least[call]) / standing - 1);
  }
  excess_ += std::max(-least[2 * calls] / standing, agreement_ == 0 ? 1.0 : 0.0);
  agreement_ = std::max(agreement, 1e-9);
  if (challenger != stands_) {
    ways_[challenger].seconds = score(least, challenger, !compares_);
    ways_[challenger].ratio = ways_[challenger].seconds / standing;
    judge(challenger);
  }
  seconds_.clear();
  plan();
}

void Guard::judge(int challenger) {
  Way& way = ways_[challenger];
  if (!compares_) {
    if (way.ratio > many_times) way.dropped = challenger != 0;
    return;
  }
  way.compared = true;
  if (way.ratio < clearly) {
    ways_[stands_].ratio = 1 / way.ratio;
    ways_[stands_].compared = true;
    stands_ = challenger;
  } else if (way.ratio > hopeless && challenger != 0) {
    way.dropped = true;
  }
}

void Guard::challenge(int ways) {
  wants_ways_ = false;
  ways_.resize(1 + ways);
  plan();
}

// What comes next, and the call at which it is within the share: a comparison of a way that was
// tried, the first try of another, or, when all have been through that, a recheck.
void Guard::plan() {
  const auto within_share = [&](double excess) {
    return std::max(calls_ + 1, static_cast<std::int64_t>((excess_ + excess) / share));
  };
  if (ways_.size() == 1) {
    if (asked_) {
      next_ = never;
      return;
    }
    // Nobody knows yet who could challenge.
    trial_ = {0, 0, 0, 0};
    const double setup = setup_ / ways_[0].seconds;
    if (static_cast<double>(calls_) * share >= setup) {
      asked_ = wants_ways_ = true;
      next_ = never;
    } else {
      next_ = std::max(2 * calls_, within_share(1));
    }
    return;
  }
  for (const bool compares : {true, false})
    for (int way = 0; way < static_cast<int>(ways_.size()); ++way) {
      const Way& each = ways_[way];
      if (way == stands_ || each.dropped || each.compared || (each.ratio > 0) != compares) continue;
      try_way(way, compares);
      next_ =
          within_share(1 + (compares ? 4 * std::max(0.0, each.ratio - 1) : 2 * expected_excess));
      recheck_ = 2 * next_;
      return;
    }
  // The nearest rival; the first way, which is what users have without us, always is one.
  int rival = -1;
  for (int way = 0; way < static_cast<int>(ways_.size()); ++way)
    if (way != stands_ && !ways_[way].dropped &&
        (rival < 0 || ways_[way].ratio < ways_[rival].ratio))
      rival = way;
  if (rival < 0) {
    next_ = never;
    return;
  }
  try_way(rival, true);
  recheck_ = std::max(recheck_, calls_ + 1);
  next_ = std::max(recheck_, within_share(1 + 4 * std::max(0.0, ways_[rival].ratio - 1)));
  recheck_ = 4 * next_;
}

void Guard::try_way(int way, bool compares) {
  compares_ = compares;
  trial_ = {stands_, way, way};
  if (compares) trial_ = {stands_, way, stands_, way, stands_, way, stands_, way};
}

}  // namespace toccata
