#include "arrivals/arrivals.h"

#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

#include "arrivals/waiting.h"

namespace toccata::test {

namespace {

constexpr std::int64_t us = 1000, ms = 1000 * us;

// A program of `calls` allreduces every 10 ms; that rank comes `late`, and each call takes 50 us
// after the last arrival. `shows` is what a rank's clock shows at a time.
template <typename Shows>
std::vector<std::vector<Series>> run(int p, int calls, int late_rank, std::int64_t late,
                                     Shows&& shows, std::size_t most = 1024) {
  std::vector<std::vector<Series>> result(p);
  for (int rank = 0; rank < p; ++rank) {
    Samples samples(most);
    for (int call = 0; call < calls; ++call) {
      const std::int64_t begin = 10 * ms * (call + 1);
      const std::int64_t arrived = begin + (rank == late_rank ? late : 0);
      const std::int64_t number = samples.count();
      if (number >= 0)
        samples.add({number, shows(rank, arrived), shows(rank, begin + late + 50 * us), 0, 0});
    }
    result[rank].push_back({&allreduce, 7, 0, p, rank, std::move(samples)});
  }
  return result;
}

std::int64_t right(int, std::int64_t time) { return time; }

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST(Arrivals, TellWaitingFromWorking) {
  const Arrivals found = match(run(4, 100, 2, ms, right), std::vector<NodeClock>(4), 1);
  const RowArrivals& row = found.rows[0];
  EXPECT_EQ(row.sampled, 100);
  EXPECT_NEAR(row.waiting, 3 * 100 * 1e-3, 1e-9);
  EXPECT_NEAR(row.working, 4 * 100 * 50e-6, 1e-9);
  EXPECT_EQ(row.last, (std::vector<double>{0, 0, 100, 0}));
  EXPECT_NEAR(row.awaited[2], row.waiting, 1e-9);
  EXPECT_NEAR(row.after_first[2] / row.taking_part[2], 1e-3, 1e-9);
  EXPECT_NEAR(found.waiting[0], 0.1, 1e-9);
  EXPECT_EQ(found.waiting[2], 0);
  EXPECT_EQ(found.left_out, 0);
}

TEST(Arrivals, NoRankIsLate) {
  const Arrivals found = match(run(3, 10, 0, 0, right), std::vector<NodeClock>(3), 1);
  EXPECT_EQ(found.rows[0].waiting, 0);
  EXPECT_EQ(sum(found.rows[0].last), 0);
}

// All ranks keep the same calls, which represent the others.
TEST(Arrivals, AreSampled) {
  const Arrivals found = match(run(4, 100000, 3, ms, right, 256), std::vector<NodeClock>(4), 1);
  EXPECT_GT(found.rows[0].sampled, 100);
  EXPECT_LE(found.rows[0].sampled, 256);
  EXPECT_NEAR(found.rows[0].calls, 1e5, 2e4);
  EXPECT_NEAR(found.rows[0].waiting / found.rows[0].calls, 3e-3, 1e-9);
}

// A program that repeats eight kinds of calls: samples contain all kinds.
TEST(Samples, DoNotFollowThePeriodOfAProgram) {
  Samples samples(256);
  for (int call = 0; call < 100000; ++call)
    if (const auto number = samples.count(); number >= 0) samples.add({.number = number});
  std::vector<int> kinds(8);
  for (const Sample& each : samples.kept()) ++kinds[each.number % 8];
  EXPECT_GT(*std::ranges::min_element(kinds), 4);
}

// The second node booted a minute later, and its clock is 20 ppm faster.
TEST(Arrivals, RelateClocks) {
  const auto shows = [](int rank, std::int64_t time) {
    return rank < 2 ? time : time - 60'000 * ms + time / 50'000;
  };
  const auto offset = [&](std::int64_t time) {
    const RoundTrip slow{time - 9 * us, shows(2, time), time + 90 * us};
    const RoundTrip fast{time - 2 * us, shows(2, time), time + 4 * us};
    return offset_of(std::vector{slow, fast, slow});
  };
  const Offset first = offset(0), last = offset(100'000 * ms);
  EXPECT_NEAR(first.error, 3 * us, 2);
  EXPECT_LE(std::abs(first.ahead + 60'000 * ms), first.error);
  const std::vector<NodeClock> clocks{{}, {}, {first, last}, {first, last}};
  const Arrivals found = match(run(4, 1000, 3, ms, shows), clocks, 1);
  const RowArrivals& row = found.rows[0];
  EXPECT_EQ(found.left_out, 0);
  EXPECT_NEAR(row.waiting / row.calls, 3e-3, 4 * 3e-6);
  EXPECT_NEAR(row.last[3], 1000, 0.1);
  EXPECT_NEAR(found.clock_error, 6e-6, 1e-8);
}

// A clock drifts for an hour, between the measurements at its begin and its end: at any time, it
// differs from that of rank 0 by no more than the stated error. Answers take long in one direction.
TEST(NodeClock, StaysWithinItsErrorWhileItDrifts) {
  constexpr std::int64_t hour = 3'600'000 * ms;
  for (const std::int64_t ppm : {-200, -20, 0, 20, 200})
    for (const std::int64_t there : {us, 20 * us, 39 * us}) {
      const auto shows = [&](std::int64_t time) {
        return time - 60'000 * ms + time / 1'000'000 * ppm;
      };
      const auto offset = [&](std::int64_t time) {
        return offset_of(std::vector{RoundTrip{time - there, shows(time), time + 40 * us - there}});
      };
      const NodeClock clock(offset(0), offset(hour));
      EXPECT_NEAR(clock.error(), 20 * us, 2);
      for (std::int64_t time = 0; time <= hour; time += hour / 7)
        EXPECT_LE(std::abs(clock.of_rank_0(shows(time)) - time), clock.error())
            << ppm << " ppm, " << there << " ns";
    }
}

// The clock of rank 1 jumps: its calls seem to end before the others arrive.
TEST(Arrivals, LeaveOutContradictions) {
  const auto shows = [](int rank, std::int64_t time) {
    return rank == 1 && time > 500 * ms ? time - 200 * ms : time;
  };
  const Arrivals found = match(run(2, 100, 0, ms, shows), std::vector<NodeClock>(2), 1);
  EXPECT_NEAR(static_cast<double>(found.left_out), 50, 1);
  EXPECT_NEAR(found.rows[0].waiting / found.rows[0].calls, 1e-3, 1e-9);
}

// A rank that has left, or a row that is unknown.
TEST(Arrivals, LeaveOutWhatIsIncomplete) {
  auto series = run(3, 10, 0, ms, right);
  series[1].clear();
  EXPECT_EQ(match(series, std::vector<NodeClock>(3), 1).rows[0].sampled, 0);
  series = run(3, 10, 0, ms, right);
  series[1][0].samples.kept().resize(4);
  for (int i = 0; i < 2; ++i) series[0][0].samples.kept()[i].row = i == 0 ? -1 : 1;
  EXPECT_EQ(match(series, std::vector<NodeClock>(3), 1).rows[0].sampled, 2);
}

// Communicators with the same ranks are told apart by their order.
TEST(Arrivals, OfSeveralCommunicators) {
  auto series = run(2, 10, 0, ms, right);
  const auto other = run(2, 20, 1, 2 * ms, right);
  for (int rank = 0; rank < 2; ++rank) {
    series[rank].push_back(other[rank][0]);
    series[rank].back().order = 1;
  }
  const RowArrivals row = match(series, std::vector<NodeClock>(2), 1).rows[0];
  EXPECT_EQ(row.last, (std::vector<double>{10, 20}));
  EXPECT_NEAR(row.waiting, 0.01 + 0.04, 1e-9);
}

TEST(Series, AreTheSameAsText) {
  std::stringstream text;
  const auto series = run(2, 5, 0, ms, right, 4);
  write(text, series[1][0]);
  write(text, series[0][0]);
  const std::vector<Series> found = read_series(text);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].collective, &allreduce);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].samples.weight(), series[1][0].samples.weight());
  ASSERT_EQ(found[1].samples.kept().size(), series[0][0].samples.kept().size());
  EXPECT_EQ(found[1].samples.kept().back().left, series[0][0].samples.kept().back().left);
  std::istringstream cut(text.str().substr(0, text.str().size() / 2 - 4));
  EXPECT_EQ(read_series(cut).size(), 0);
}

namespace {

std::vector<int> awaited(const Collective& collective, int root, const std::vector<Stay>& stays) {
  std::vector<int> result;
  for (const Wait& each : waits(collective, root, stays)) result.push_back(each.for_rank);
  return result;
}

}  // namespace

// Rank 2 arrives last, then rank 1.
TEST(Waits, DependOnTheCollective) {
  const std::vector<Stay> stays{{0, 100}, {20, 100}, {40, 100}, {10, 100}};
  EXPECT_EQ(awaited(alltoallv, 0, stays), (std::vector{2, 2, -1, 2}));
  EXPECT_EQ(awaited(bcast, 1, stays), (std::vector{1, -1, -1, 1}));
  EXPECT_EQ(awaited(scatterv, 2, stays), (std::vector{2, 2, -1, 2}));
  EXPECT_EQ(awaited(reduce, 0, stays), (std::vector{2, -1, -1, -1}));
  EXPECT_EQ(awaited(gatherv, 2, stays), (std::vector{-1, -1, -1, -1}));
  EXPECT_EQ(awaited(scan, 0, stays), (std::vector{-1, -1, -1, 2}));
  EXPECT_EQ(waits(barrier, 0, stays)[3].waited, 30);
  EXPECT_EQ(waits(barrier, 0, stays)[3].worked, 60);
}

// The root of a broadcast may leave before the others arrive.
TEST(Waits, OnlyTheAwaitedRanksContradict) {
  const std::vector<Stay> stays{{0, 5}, {20, 30}};
  EXPECT_FALSE(contradict(bcast, 0, stays, 0));
  EXPECT_TRUE(contradict(allreduce, 0, stays, 10));
  EXPECT_FALSE(contradict(allreduce, 0, stays, 15));
}

}  // namespace toccata::test
