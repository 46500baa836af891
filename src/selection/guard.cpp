#include "selection/guard.h"

#include <algorithm>
#include <limits>

namespace toccata {

namespace {

constexpr double many_times = 3;          // slower: cut off after the first try
constexpr double hopeless = 1.5;          // slower, compared: not tried again
constexpr double clearly = 0.98;          // of the time: is ahead
constexpr int enough = 2;                 // comparisons won in a row take over, or one by far
constexpr int at_most = 3;                // comparisons that say nothing clear, in its life
constexpr double expected_excess = 0.15;  // of an untried way's call
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// Of times in order.
double lower_middle(std::span<const double> times) { return times[(times.size() - 1) / 2]; }

// The best of one's times is ahead of the best of the other's, the second of the second, and so on.
bool is_ahead(std::span<const double> its, std::span<const double> standing) {
  return std::ranges::equal(its, standing,
                            [](double one, double other) { return one < clearly * other; });
}

}  // namespace

bool Guard::ended_trial(double seconds) {
  seconds_.push_back(seconds);
  return seconds_.size() == trial_.size();
}

// Times of the calls and of the agreement before, negative: of these the least is the most.
std::vector<double> Guard::ballot() const {
  std::vector<double> result;
  for (const double each : seconds_) result.push_back(-each);
  result.push_back(-agreement_);
  return result;
}

std::vector<double> Guard::times(std::span<const double> least, int way) const {
  std::vector<double> result;
  for (std::size_t call = 0; call < trial_.size(); ++call)
    if (trial_[call] == way) result.push_back(std::max(-least[call], 1e-9));
  std::ranges::sort(result);
  return result;
}

// The first agreement, and the first call of a way, make connections: once, so neither is counted,
// or many calls would have to earn it first. A rank that is late only adds to a call, so what a
// trial costs goes by the quickest calls.
void Guard::agree(std::span<const double> least, double agreement) {
  const std::vector<double> standing = times(least, stands_);
  ways_[stands_].seconds = lower_middle(standing);
  agreeing_ = -least[trial_.size()];
  double excess = overhead();
  const int stood = stands_;
  for (int way = 0; way < static_cast<int>(ways_.size()); ++way) {
    if (way == stood || std::ranges::find(trial_, way) == trial_.end()) continue;
    const std::vector<double> its = times(least, way);
    const auto counted = static_cast<double>(its.size() - (compares_ ? 0 : 1));
    excess += counted * (its.front() / standing.front() - 1);
    judge(way, its, standing);
  }
  excess_ = std::max(0.0, excess_ + excess);
  agreement_ = agreed_ ? std::max(agreement, 1e-9) : 0;
  agreed_ = true;
  seconds_.clear();
  plan();
}

void Guard::judge(int challenger, std::span<const double> its, std::span<const double> standing) {
  Way& way = ways_[challenger];
  way.seconds = lower_middle(its);
  way.ratio = its.front() / standing.front();
  if (!compares_) {
    if (way.ratio > many_times) way.dropped = challenger != 0;
    return;
  }
  if (!is_ahead(its, standing)) {
    way.won = 0;
    way.compared = way.ratio >= clearly || ++way.unclear >= at_most;
    if (way.ratio > hopeless && challenger != 0) way.dropped = true;
    return;
  }
  way.won += its.back() < standing.front() ? enough : 1;
  way.compared = way.won >= enough;
  if (!way.compared) return;
  const double ratio = way.ratio;
  for (Way& each : ways_) {
    each.ratio /= ratio;
    each.won = 0;
  }
  ways_[stands_].ratio = 1 / ratio;
  ways_[stands_].compared = true;
  stands_ = challenger;
}

bool Guard::decided() const {
  for (int way = 0; way < static_cast<int>(ways_.size()); ++way)
    if (way != stands_ && !ways_[way].compared && !ways_[way].dropped) return false;
  return ways_.size() > 1;
}

void Guard::challenge(int ways) {
  wants_ways_ = false;
  ways_.resize(1 + ways);
  plan();
}

// What comes next: first tries; comparisons of what was tried, the most promising first; or, when
// all have been through that, a recheck. And at which call: where it is within the share, but not
// right away, or trials would keep step with a program.
void Guard::plan() {
  const auto within_share = [&](double excess) {
    return std::max(calls_ + 2, static_cast<std::int64_t>((excess_ + excess) / share));
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

// Of an agreement, in calls of the way that stands: one, or less where a call takes longer than to
// find ways, until it is known.
double Guard::overhead() const {
  const double call = ways_[stands_].seconds;
  return agreeing_ > 0 ? agreeing_ / call : std::min(1.0, setup_ / call);
}

void Guard::try_ways(std::span<const int> ways) {
  compares_ = false;
  trial_.clear();
  for (const int way : ways) trial_.insert(trial_.end(), {stands_, way, way});
  trial_.push_back(stands_);
}

void Guard::compare(int way) {
  compares_ = true;
  trial_ = {stands_, way, way, stands_, way, stands_, stands_, way};
}

}  // namespace toccata
