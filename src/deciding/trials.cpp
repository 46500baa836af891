#include "deciding/trials.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace toccata {

namespace {

constexpr double many_times = 3;  // slower: excluded after the first try
constexpr double hopeless = 1.5;  // slower in a comparison: not tried again
constexpr double clearly = 0.98;  // of the other's time: is ahead
constexpr double by_far = 0.9;    // the same, in a first try apart from the program's calls
constexpr int enough = 4;         // calls won in a row, to take over; or one comparison by far
constexpr int at_most = 3;        // comparisons without a clear result, per candidate
constexpr int at_most_without_result = 10;  // the same without calls that tell something
constexpr std::size_t few = 2;  // calls of a comparison: no more count as won, fewer do not exclude
constexpr double expected_excess = 0.15;  // of an untried candidate's call
constexpr double not_counted = std::numeric_limits<double>::max();  // a time in a ballot
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// The time of a call, from the minima over all ranks of the numbers that Trials::ballot() has for
// it.
double time_of(std::span<const double> least) {
  double seconds = -least[0];
  if (least.size() > 1) {
    const double last_left = -least[1], last_awaited = -least[2], shortest = least[3];
    seconds = std::max(shortest, std::min(last_left - last_awaited, seconds));
  }
  return std::max(seconds, 1e-9);
}

// Whether that time depends on the algorithm. If all other ranks arrive long after the awaited one,
// they find their messages, whichever algorithm sent them.
bool tells(std::span<const double> least) {
  if (least.size() == 1 || least[4] == not_counted) return true;
  const double last_awaited = -least[2], first_other = least[4];
  return first_other - last_awaited <= time_of(least);
}

// The lower median of sorted times.
double lower_middle(std::span<const double> times) { return times[(times.size() - 1) / 2]; }

// Whether the best time of one is ahead of the best time of the other, the second of the second,
// and so on.
bool is_ahead(std::span<const double> its, std::span<const double> standing) {
  return std::ranges::equal(its, standing,
                            [](double one, double other) { return one < clearly * other; });
}

}  // namespace

bool Trials::ended_trial(const TimedCall& call) {
  timed_.push_back(call);
  return timed_.size() == trial_.size();
}

// The times of the calls and of the previous agreement. Some are negated: the minimum of these is
// the maximum.
std::vector<double> Trials::ballot() const {
  std::vector<double> result;
  for (const TimedCall& each : timed_) {
    const std::array<double, times_by_common_clock> times{
        -each.seconds(), -each.left, each.awaited ? -each.arrived : not_counted, each.seconds(),
        each.awaited ? not_counted : each.arrived};
    result.insert(result.end(), times.begin(), times.begin() + times_per_call_);
  }
  result.push_back(-agreement_);
  return result;
}

// The sorted times of the candidate's first calls that tell something.
std::vector<double> Trials::times(std::span<const double> least, int candidate,
                                  std::size_t calls) const {
  std::vector<double> result;
  for (std::size_t call = 0; call < trial_.size() && result.size() < calls; ++call) {
    const auto its = least.subspan(call * times_per_call_, times_per_call_);
    if (trial_[call] == candidate && (apart_ || tells(its))) result.push_back(time_of(its));
  }
  std::ranges::sort(result);
  return result;
}

// The first agreement, and the first call of a candidate, open connections. This happens once, so
// neither is counted; otherwise, many calls would be needed to recover this cost. A late rank only
// prolongs a call, so the cost of a trial is that of its fastest calls.
void Trials::agree(std::span<const double> least, double agreement) {
  if (const std::vector<double> standing = times(least, current_); !standing.empty()) {
    candidates_[current_].seconds = lower_middle(standing);
    mean_ = std::accumulate(standing.begin(), standing.end(), 0.0) /
            static_cast<double>(standing.size());
  }
  agreeing_ = -least[trial_.size() * times_per_call_];
  double excess = overhead() + (apart_ && !is_probe() ? cost_apart(least) : 0);
  const int stood = current_;
  for (int candidate = 0; candidate < static_cast<int>(candidates_.size()); ++candidate) {
    const auto calls = std::ranges::count(trial_, candidate);
    if (candidate == stood || calls == 0) continue;
    const double ratio = judge(candidate, stood, least);
    if (!apart_) excess += static_cast<double>(calls - (compares_ ? 0 : 1)) * (ratio - 1);
  }
  excess_ = std::max(0.0, excess_ + excess);
  agreement_ = agreed_ ? std::max(agreement, 1e-9) : 0;
  agreed_ = true;
  timed_.clear();
  plan();
}

// Returns the ratio of their fastest calls.
double Trials::judge(int challenger, int stood, std::span<const double> least) {
  Candidate& candidate = candidates_[challenger];
  const std::size_t both = std::min(times(least, challenger).size(), times(least, stood).size());
  if (both == 0) {
    if (candidate.ratio == 0) candidate.ratio = 1;
    if (compares_ && ++candidate.without_result >= at_most_without_result)
      candidate.compared = true;
    return std::max(1.0, candidate.ratio);
  }
  const std::size_t counted = compares_ ? both : all_calls;
  const auto its = times(least, challenger, counted), standing = times(least, stood, counted);
  const double ratio = candidate.ratio = its.front() / standing.front();
  candidate.seconds = lower_middle(its);
  if (!compares_) {
    if (ratio > many_times) candidate.dropped = challenger != 0;
    if (apart_ && its[1] < by_far * standing.front()) take_over(challenger);
    return ratio;
  }
  if (!is_ahead(its, standing)) {
    candidate.won = 0;
    candidate.compared = (ratio >= clearly && both >= few) || ++candidate.unclear >= at_most;
    candidate.dropped = candidate.compared && ratio > hopeless && challenger != 0;
    return ratio;
  }
  const bool wins_all = both > few && its.back() < standing.front();
  candidate.won += wins_all ? enough : static_cast<int>(std::min(both, few));
  if (candidate.won >= enough) take_over(challenger);
  return ratio;
}

void Trials::take_over(int challenger) {
  candidates_[challenger].compared = true;
  candidates_[current_].compared = true;
  set_current(challenger);
  took_over_ = true;
}

// Ratios are to the time of the new one; if that was not tried, the others have to be tried again.
void Trials::set_current(int candidate) {
  const double ratio = candidates_[candidate].ratio;
  candidates_[current_].ratio = 1;
  for (Candidate& each : candidates_) {
    each.ratio = ratio > 0 ? each.ratio / ratio : 0;
    each.won = 0;
  }
  current_ = candidate;
}

bool Trials::decided() const {
  for (int candidate = 0; candidate < static_cast<int>(candidates_.size()); ++candidate)
    if (candidate != current_ && !candidates_[candidate].compared &&
        !candidates_[candidate].dropped)
      return false;
  return candidates_.size() > 1;
}

void Trials::inherit() {
  probes_ = false;
  took_over_ = true;
  candidates_.resize(2);
  current_ = 1;
  wants_candidates_ = false;
  try_candidates(std::array{0});
  may_ask_ = false;
  begin_at(std::max(first_probe, 2 * calls_));
}

void Trials::prefer(int candidate) {
  candidates_.resize(std::max<std::size_t>(candidates_.size(), candidate + 1));
  if (candidates_[candidate].compared || candidates_[candidate].dropped) return;
  set_current(candidate);
  candidates_[0].compared = took_over_ = false;
  if (is_probe())
    trial_.assign(4, candidate);
  else
    plan();
}

void Trials::put_off() {
  timed_.clear();
  begin_at(2 * calls_);
}

void Trials::begin_at(std::int64_t call) { planned_ = begins_ = call; }

// A trial of that price, in calls, begins when it is within the share, but not before `earliest`.
void Trials::begin(std::int64_t earliest, double price) {
  price_ = price;
  const auto within_share = static_cast<std::int64_t>((excess_ + price - granted_) / share);
  begin_at(std::max({earliest, calls_ + 2, within_share}));
  if (shares_ && may_ask_) ask_later();
}

void Trials::ask_later() {
  begins_ = std::min(planned_, calls_ + std::max<std::int64_t>(8, calls_ / 16));
}

void Trials::answer(bool granted) {
  if (!granted) return ask_later();
  granted_ = excess_ + price_ - share * static_cast<double>(calls_);
  begin_at(calls_);
  recheck_ = 2 * calls_;
}

void Trials::challenge(int candidates, int current) {
  probes_ = wants_candidates_ = false;
  candidates_.resize(1 + candidates);
  current_ = current;
  plan();
}

// Plans the next trial: first tries; comparisons of tried candidates, the most promising first; or,
// after all of these, a recheck. It starts when it is within the share, but not at once, because
// trials could otherwise follow the rhythm of a program.
void Trials::plan() {
  may_ask_ = false;
  if (is_probe()) {
    // Candidates are not known yet.
    trial_.assign(4, current_);
    const double setup = setup_ / mean_;
    if (static_cast<double>(calls_) * share + granted_ >= setup) {
      wants_candidates_ = true;
      found_in_ = setup_;
      granted_ = std::max(0.0, granted_ - setup);
      return begin_at(never);
    }
    may_ask_ = true;
    return begin(static_cast<std::int64_t>((setup - granted_) / share), overhead() + setup);
  }
  std::vector<int> untried;
  int next = -1;
  const auto number = static_cast<int>(candidates_.size());
  for (int place = 1; place <= number; ++place) {
    const int candidate = place % number;  // the MPI library's own last
    const Candidate& each = candidates_[candidate];
    if (candidate == current_ || each.dropped || each.compared) continue;
    if (each.ratio == 0)
      untried.push_back(candidate);
    else if (next < 0 || each.ratio < candidates_[next].ratio)
      next = candidate;
  }
  may_ask_ = !untried.empty() || next >= 0;
  if (!may_ask_)  // the nearest rival; the first candidate, the native algorithm, always is one
    for (int candidate = 0; candidate < number; ++candidate)
      if (candidate != current_ && !candidates_[candidate].dropped &&
          (next < 0 || candidates_[candidate].ratio < candidates_[next].ratio))
        next = candidate;
  double excess = 2 * expected_excess * static_cast<double>(untried.size());
  if (!untried.empty()) {
    // Apart from the program's calls, every call is a cost: the most promising one is tried alone.
    if (apart_) untried.resize(1);
    try_candidates(untried);
  } else if (next >= 0) {
    compare(next);
    excess = 4 * std::max(0.0, candidates_[next].ratio - 1);
  } else {
    return begin_at(never);
  }
  begin(may_ask_ ? 0 : recheck_, overhead() + (apart_ ? cost_apart() : excess));
  recheck_ = (may_ask_ ? 2 : 4) * planned_;
}

// The cost of an agreement, in calls of the current candidate: one call until the cost is known;
// less if a call takes longer than finding candidates.
double Trials::overhead() const {
  const double measured = candidates_[current_].seconds;
  const double call = measured > 0 ? measured : mean_;
  return agreeing_ > 0 ? agreeing_ / call : std::min(1.0, setup_ / call);
}

// The cost of a trial's calls, in calls of the current candidate, by the fastest of each candidate.
double Trials::cost_apart(std::span<const double> least) const {
  double cost = 0;
  for (const int candidate : trial_) cost += times(least, candidate).front();
  return cost / times(least, current_).front();
}

// The same of those of the next trial; candidates that were not tried count as the current one.
double Trials::cost_apart() const {
  double cost = 0;
  for (const int each : trial_)
    cost += candidates_[each].ratio > 0 && each != current_ ? candidates_[each].ratio : 1;
  return cost;
}

void Trials::try_candidates(std::span<const int> candidates) {
  compares_ = false;
  trial_.clear();
  for (const int candidate : candidates) {
    trial_.insert(trial_.end(), {current_, candidate, candidate});
    if (apart_) trial_.push_back(candidate);
  }
  trial_.push_back(current_);
}

void Trials::compare(int candidate) {
  compares_ = true;
  trial_ = {current_, candidate, candidate, current_, candidate, current_, current_, candidate};
}

}  // namespace toccata
