#include "choices/sign_test.h"

#include <algorithm>
#include <cmath>

namespace toccata {

namespace {

constexpr double hopeless = 3;

std::size_t leader(const Times& times, std::span<const std::size_t> running) {
  return *std::ranges::min_element(running, {},
                                   [&](std::size_t way) { return median(times[way]); });
}

}  // namespace

double chance(int heads, int trials) {
  double sum = 0;
  for (int k = std::max(heads, 0); k <= trials; ++k)
    sum += std::exp(std::lgamma(trials + 1.0) - std::lgamma(k + 1.0) -
                    std::lgamma(trials - k + 1.0) - trials * std::log(2.0));
  return std::min(sum, 1.0);
}

Pairs compare(std::span<const double> a, std::span<const double> b) {
  Pairs pairs;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    pairs.wins += a[i] < b[i] ? 1 : 0;
    pairs.trials += a[i] != b[i] ? 1 : 0;
  }
  return pairs;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<std::size_t> losers(const Times& times, std::span<const std::size_t> running, int looks,
                                double doubt) {
  if (running.size() < 2) return {};
  const auto ways = static_cast<double>(times.size());
  const double level = doubt / (ways * (ways - 1) * looks);
  const std::size_t first = leader(times, running);
  std::vector<std::size_t> result;
  for (const std::size_t way : running) {
    const auto [wins, trials] = compare(times[first], times[way]);
    if (way != first && chance(wins, trials) < level) result.push_back(way);
  }
  return result;
}

std::vector<std::size_t> outclassed(const Times& times, std::span<const std::size_t> running) {
  const double limit = hopeless * std::ranges::max(times[leader(times, running)]);
  std::vector<std::size_t> result;
  for (const std::size_t way : running)
    if (std::ranges::min(times[way]) > limit) result.push_back(way);
  return result;
}

}  // namespace toccata
