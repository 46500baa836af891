#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace toccata {

// What was timed in turns: times[way][repetition]. A way that was dropped has fewer of them.
using Times = std::vector<std::vector<double>>;

// The probability that of `trials` tosses of a fair coin at least `heads` show heads.
double chance(int heads, int trials);

// In how many of the repetitions that both were in `a` took less than `b`. Ties are left out.
struct Pairs {
  int wins = 0, trials = 0;
};
Pairs compare(std::span<const double> a, std::span<const double> b);

double median(std::vector<double> values);

// Of the ways that run, those that are not worth going on with: that lose to the one with the least
// median by the sign test, which asks nothing of how times are spread. `looks` is how often this is
// asked at most. The level is shared out among all pairs of ways and all looks (Bonferroni), so
// that in a whole race no way goes, but with the probability `doubt`, that is as quick as the one
// that it lost to.
std::vector<std::size_t> losers(const Times& times, std::span<const std::size_t> running, int looks,
                                double doubt = 0.05);

// Those that are out of the question after a few repetitions: their least time is longer than three
// times the longest of the one with the least median.
std::vector<std::size_t> outclassed(const Times& times, std::span<const std::size_t> running);

}  // namespace toccata
