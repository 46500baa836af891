#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toccata {

// Interleaved measurements: times[candidate][repetition]. A dropped candidate has fewer of them.
using Times = std::vector<std::vector<double>>;

// The probability of at least `heads` heads in `trials` tosses of a fair coin.
double chance(int heads, int trials);

// The number of common repetitions in which `a` took less time than `b`. Ties do not count.
struct Pairs {
  int wins = 0, trials = 0;
};
Pairs compare(std::span<const double> a, std::span<const double> b);

double median(std::vector<double> values);

// The running candidates that should be dropped: those that lose to the one with the lowest median.
// The sign test decides, which does not depend on the distribution of times. `looks` is the maximum
// number of such checks. The level is divided among all pairs of candidates and all checks
// (Bonferroni). So with a probability of at most `doubt`, a race drops a candidate that is as fast
// as the one to which it lost.
std::vector<std::size_t> losers(const Times& times, std::span<const std::size_t> running, int looks,
                                double doubt = 0.05);

// Candidates that are hopeless after a few repetitions: their minimum is more than three times the
// maximum of the one with the lowest median.
std::vector<std::size_t> outclassed(const Times& times, std::span<const std::size_t> running);

}  // namespace toccata
