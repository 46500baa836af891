#include "selection/guard.h"

#include <algorithm>
#include <limits>

namespace toccata {

namespace {

constexpr double many_times = 3;          // slower: cut off after the first try
constexpr double hopeless = 1.5;          // slower, compared: not tried again
constexpr double clearly = 0.98;          // of the time: takes over
constexpr double expected_excess = 0.25;  // of an untried way's call
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

}  // namespace

bool Guard::ended_trial(double seconds) {
  seconds_.push_back(seconds);
  return seconds_.size() == trial_.size();
}

// Each call's time, and its negative, of which the least is the most. Of the agreement before,
// where all wait for all, the least is that of the rank that came last.
std::vector<double> Guard::ballot() const {
  std::vector<double> result(seconds_);
  for (const double each : seconds_) result.push_back(-each);
  result.push_back(agreement_);
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

// The first agreement, and the first call of a way, make connections: once, so neither is counted,
// or many calls would have to earn it first.
void Guard::agree(std::span<const double> least, double agreement) {
  const std::size_t calls = trial_.size();
  const double standing = score(least, stands_, false);
  ways_[stands_].seconds = standing;
  agreeing_ = least[2 * calls];
  double excess = agreeing_ > 0 ? agreeing_ / standing : 1;
  std::vector<int> challengers;
  for (std::size_t call = 0; call < calls; ++call) {
    if (trial_[call] == stands_) continue;
    const bool is_first = challengers.empty() || challengers.back() != trial_[call];
    if (is_first) challengers.push_back(trial_[call]);
    const std::size_t counted = call + (is_first && !compares_ ? 1 : 0);
    excess += (one_way_ ? -least[calls + counted] : least[counted]) / standing - 1;
  }
  excess_ = std::max(0.0, excess_ + excess);
  agreement_ = agreed_ ? std::max(agreement, 1e-9) : 0;
  agreed_ = true;
  for (const int challenger : challengers) {
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
    for (Way& each : ways_) each.ratio /= way.ratio;
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

// What comes next, and the call at which it is within the share: first tries, comparisons of what
// was tried, the most promising first, or, when all have been through that, a recheck.
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
      next_ = std::max(within_share(overhead()), static_cast<std::int64_t>(setup / share));
    }
    return;
  }
  std::vector<int> untried;
  int next = -1;
  for (int way = 0; way < static_cast<int>(ways_.size()); ++way) {
    const Way& each = ways_[way];
    if (way == stands_ || each.dropped || each.compared) continue;
    if (each.ratio == 0)
      untried.push_back(way);
    else if (next < 0 || each.ratio < ways_[next].ratio)
      next = way;
  }
  if (!untried.empty() || next >= 0) {
    double excess = 2 * expected_excess * static_cast<double>(untried.size());
    if (untried.empty()) {
      compare(next);
      excess = 4 * std::max(0.0, ways_[next].ratio - 1);
    } else {
      try_ways(untried);
    }
    next_ = within_share(overhead() + excess);
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
  compare(rival);
  recheck_ = std::max(recheck_, calls_ + 1);
  next_ = std::max(recheck_, within_share(overhead() + 4 * std::max(0.0, ways_[rival].ratio - 1)));
  recheck_ = 4 * next_;
}

// Of an agreement, in calls of the way that stands.
double Guard::overhead() const { return agreeing_ > 0 ? agreeing_ / ways_[stands_].seconds : 1; }

void Guard::try_ways(std::span<const int> ways) {
  compares_ = false;
  trial_.clear();
  for (const int way : ways) trial_.insert(trial_.end(), {stands_, way, way});
  trial_.push_back(stands_);
}

void Guard::compare(int way) {
  compares_ = true;
  trial_ = {stands_, way, stands_, way, stands_, way, stands_, way};
}

}  // namespace toccata
