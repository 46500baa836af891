#include "choices/sign_test.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace toccata {
namespace {

TEST(Race, TossesOfACoin) {
  EXPECT_NEAR(chance(0, 7), 1, 1e-12);
  EXPECT_NEAR(chance(10, 10), 1.0 / 1024, 1e-12);
  EXPECT_NEAR(chance(2, 3), 0.5, 1e-12);
  EXPECT_NEAR(chance(1, 2), 0.75, 1e-12);
  EXPECT_LT(chance(400, 400), 1e-100);
}

TEST(Race, TiesAndRepetitionsOfOneAloneDoNotCount) {
  const std::vector<double> a = {1, 2, 3, 4}, b = {2, 2, 1};
  EXPECT_EQ(compare(a, b).wins, 1);
  EXPECT_EQ(compare(a, b).trials, 2);
}

std::vector<std::size_t> everyone(const Times& times) {
  std::vector<std::size_t> ways(times.size());
  std::iota(ways.begin(), ways.end(), 0);
  return ways;
}

// Times with a long tail. A burst delays all candidates of a repetition.
Times noisy(std::mt19937& random, std::span<const double> typical, int repetitions) {
  std::lognormal_distribution<double> noise(0, 0.3), burst(0, 0.5);
  Times times(typical.size());
  for (int i = 0; i < repetitions; ++i) {
    const double all = burst(random);
    for (std::size_t way = 0; way < typical.size(); ++way)
      times[way].push_back(typical[way] * all * noise(random));
  }
  return times;
}

// Runs like a benchmark, which evaluates the race every ten repetitions.
std::vector<std::size_t> race(const Times& times, int looks) {
  std::vector<std::size_t> running = everyone(times);
  for (int look = 1; look <= looks; ++look) {
    Times so_far;
    for (const auto& each : times) so_far.emplace_back(each.begin(), each.begin() + 10 * look);
    for (const std::size_t out : losers(so_far, running, looks)) std::erase(running, out);
  }
  return running;
}

bool stays(const std::vector<std::size_t>& left, std::size_t way) {
  return std::ranges::find(left, way) != left.end();
}

TEST(Race, TheSlowerGoAndTheBestStays) {
  std::mt19937 random(1);
  for (int run = 0; run < 50; ++run) {
    const auto left = race(noisy(random, std::vector<double>{2, 1, 1.6, 5, 1.05}, 200), 20);
    EXPECT_TRUE(stays(left, 1)) << run;
    EXPECT_FALSE(stays(left, 0)) << run;
    EXPECT_FALSE(stays(left, 3)) << run;
  }
}

// 20 equal candidates, in 400 races with a significance level of 5%: almost no candidate may be
// dropped.
TEST(Race, EqualsStay) {
  std::mt19937 random(2);
  int races_with_losers = 0;
  for (int run = 0; run < 400; ++run)
    races_with_losers +=
        race(noisy(random, std::vector<double>(20, 1.0), 100), 10).size() < 20 ? 1 : 0;
  EXPECT_LE(races_with_losers, 20);
}

TEST(Race, TheHopelessGoAtOnce) {
  const Times times = {{1, 2}, {5, 7}, {6.5, 7}, {100, 3}};
  EXPECT_EQ(outclassed(times, everyone(times)), std::vector<std::size_t>{2});
}

TEST(Race, OneAloneDoesNotLose) {
  EXPECT_TRUE(losers({{1, 2, 3}}, std::vector<std::size_t>{0}, 1).empty());
}

}  // namespace
}  // namespace toccata
