#include "patterns/segment_pattern.h"

#include <chrono>

#include "support.h"

namespace toccata {
namespace {

TEST(Skips, HalveFromPOn) {
  const auto all = [](int p) {
    const Skips skips(p);
    std::vector<int> result;
    for (int k = 0; k <= skips.rounds(); ++k) result.push_back(skips[k]);
    return result;
  };
  EXPECT_EQ(all(1), (std::vector<int>{1}));
  EXPECT_EQ(all(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(all(9), (std::vector<int>{1, 2, 3, 5, 9}));
  EXPECT_EQ(all(16), (std::vector<int>{1, 2, 4, 8, 16}));
}

// As drawn in segment_pattern.h.
TEST(SegmentPattern, OfFiveRanks) {
  const SegmentPattern pattern(5, 1);
  EXPECT_EQ(pattern.received(0), (std::vector<int>{-3, -1, -2}));
  EXPECT_EQ(pattern.received(1), (std::vector<int>{0, -1, -2}));
  EXPECT_EQ(pattern.received(2), (std::vector<int>{-3, 1, -1}));
  EXPECT_EQ(pattern.received(3), (std::vector<int>{-2, -3, 2}));
  EXPECT_EQ(pattern.received(4), (std::vector<int>{-1, -2, 0}));
  EXPECT_EQ(pattern.sent(0), (std::vector<int>{0, 1, 2}));
}

// Runs the broadcast of n segments. No rank sends a segment before it has it, or receives a segment
// twice. At the end, every rank has all segments.
void broadcast(int p, int n, const std::vector<std::vector<int>>& received) {
  const SegmentPattern pattern(p, n);
  const std::uint64_t all = n == 64 ? ~0ULL : (1ULL << n) - 1;
  std::vector<std::uint64_t> has(p), had;
  has[0] = all;
  bool sound = true;
  for (int round = 0; round < pattern.rounds(); ++round) {
    had = has;
    const int place = pattern.place(round), distance = pattern.distance(round);
    for (int rank = 1; rank < p; ++rank) {
      const int segment = pattern.segment(received[rank][place], round);
      if (segment < 0) continue;
      const int from = rank < distance ? rank - distance + p : rank - distance;
      const std::uint64_t bit = 1ULL << segment;
      sound = sound && (had[from] & bit) != 0 && (had[rank] & bit) == 0;
      has[rank] |= bit;
    }
  }
  EXPECT_TRUE(sound) << p << " ranks, " << n << " segments";
  EXPECT_EQ(has, std::vector<std::uint64_t>(p, all)) << p << " ranks, " << n << " segments";
}

// Simulates all ranks for all these p and n; for larger p, only for a few n.
TEST(SegmentPattern, BroadcastsInTheLeastRoundsThereCanBe) {
  const Algorithm& algorithm = *find_algorithm(bcast, "circulant");
  for (int p = 1; p <= 1024; ++p) {
    std::vector<std::vector<int>> received;
    for (int rank = 0; rank < p; ++rank) received.push_back(SegmentPattern(p, 1).received(rank));
    for (int n = 1; n <= 64; ++n) {
      const int least = p == 1 ? 0 : n - 1 + ceil_log2(p);
      ASSERT_EQ(SegmentPattern(p, n).rounds(), least) << p << " ranks, " << n << " segments";
      // The root sends a segment in every round.
      ASSERT_EQ(algorithm.schedule({.p = p, .parts = n}, 0).rounds(), least);
      if (p <= (test::sanitized ? 40 : 256) || n == 7 || n == 64) broadcast(p, n, received);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// One rank's schedule of 64 segments for 65 536 ranks. The test prints the time, but does not check
// it.
TEST(SegmentPattern, IsFoundQuicklyForManyRanks) {
  const Algorithm& algorithm = *find_algorithm(bcast, "circulant");
  double longest = 0;
  for (const int p : {65'521, 65'535, 65'536})
    for (const int rank : {0, 1, p / 3, p - 1}) {
      const auto start = std::chrono::steady_clock::now();
      const Schedule schedule = algorithm.schedule({.p = p, .parts = 64}, rank);
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      EXPECT_LE(schedule.rounds(), 64 - 1 + 16);
      longest = std::max(longest, time.count());
    }
  std::cout << "a schedule of 64 segments among 65 536 ranks took " << longest << " ms at most\n";
}

}  // namespace
}  // namespace toccata
