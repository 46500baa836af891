#include "deciding/open_trials.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>

namespace toccata {
namespace {

// Ranks without MPI, each with its own speed and its own clock. They share only the results of
// agreements. In each step, one rank proceeds.
class Job {
 public:
  Job(int ranks, const Trials& trials, std::vector<double> seconds, std::int64_t lag, unsigned seed)
      : seconds_(std::move(seconds)), random_(seed) {
    for (int rank = 0; rank < ranks; ++rank) ranks_.push_back(std::make_unique<Rank>(trials, lag));
  }

  double noise = 0.05;  // of the time of a call, as a share
  double skew = 0;      // of the rates of clocks, as a share
  double haste = 1;     // steps of rank 0, compared with the others

  // Starts of a persistent request. Each rank agrees without waiting, at the first start after a
  // trial. If the choice for a start is still open, the start waits, and so does this rank.
  void starts(int number) {
    for (int steps = 0; !all_made(number); ++steps) {
      ASSERT_LT(steps, 100 * number * static_cast<int>(ranks_.size())) << "no rank proceeds";
      const int rank = any_rank();
      Rank& mine = *ranks_[rank];
      if (mine.is_agreeing && exchanges_[mine.exchange].here == size() && one_in(3)) {
        mine.open.agree(exchanges_[mine.exchange++].least);
        mine.is_agreeing = false;
        continue;
      }
      if (static_cast<int>(mine.served.size()) == number) continue;
      if (mine.open.is_due()) {
        exchanges_[mine.exchange].add(mine.open.ballot());
        mine.is_agreeing = true;
      }
      const auto start = mine.open.start();
      mine.is_waiting = !start;
      if (!start) continue;
      mine.served.push_back(start->candidate);
      mine.open.ended(*start, time_of(*start, rank));
    }
  }

  // Nonblocking calls, at most `most` of them open. After every `period` calls, the program calls a
  // blocking function, in which ranks agree if necessary.
  void calls(int number, int most, int period) {
    for (int call = 0; call < number; ++call) {
      const bool is_due = ranks_[0]->open.is_due();
      for (int rank = 0; rank < size(); ++rank) {
        Rank& mine = *ranks_[rank];
        ASSERT_EQ(mine.open.is_due(), is_due) << call;
        if (is_due && call % period == 0) exchanges_[mine.exchange].add(mine.open.ballot());
      }
      for (int rank = 0; rank < size(); ++rank) {
        Rank& mine = *ranks_[rank];
        if (is_due && call % period == 0) mine.open.agree(exchanges_[mine.exchange++].least);
        const auto start = mine.open.start();
        ASSERT_TRUE(start) << "a nonblocking call cannot wait";
        mine.served.push_back(start->candidate);
        mine.under_way.push_back(*start);
        while (static_cast<int>(mine.under_way.size()) > most) {
          const auto which = static_cast<std::ptrdiff_t>(random_() % mine.under_way.size());
          mine.open.ended(mine.under_way[which], time_of(mine.under_way[which], rank));
          mine.under_way.erase(mine.under_way.begin() + which);
        }
      }
    }
  }

  void expect_alike() const {
    for (const auto& each : ranks_) ASSERT_EQ(each->served, ranks_[0]->served);
  }
  int current() const { return ranks_[0]->trials.current(); }
  int served(int candidate) const {
    return static_cast<int>(std::ranges::count(ranks_[0]->served, candidate));
  }
  double excess() const { return ranks_[0]->trials.excess(); }

 private:
  struct Rank {
    Rank(const Trials& all, std::int64_t lag) : trials(all), open(trials, lag) {}
    Trials trials;
    OpenTrials open;
    std::vector<int> served;
    std::vector<OpenTrials::Start> under_way;
    int exchange = 0;  // the next one, or the current one
    bool is_agreeing = false, is_waiting = false;
  };
  struct Exchange {
    int here = 0;
    std::vector<double> least;
    void add(const std::vector<double>& mine) {
      if (here++ == 0) least = mine;
      ASSERT_EQ(least.size(), mine.size());
      for (std::size_t i = 0; i < mine.size(); ++i) least[i] = std::min(least[i], mine[i]);
    }
  };

  int size() const { return static_cast<int>(ranks_.size()); }
  bool all_made(int number) const {
    return std::ranges::all_of(
        ranks_, [&](const auto& each) { return static_cast<int>(each->served.size()) == number; });
  }
  bool one_in(unsigned number) { return random_() % number == 0; }
  int any_rank() {
    const double place = std::uniform_real_distribution<>(0, haste + size() - 1)(random_);
    return place < haste ? 0 : std::min(size() - 1, 1 + static_cast<int>(place - haste));
  }
  double time_of(const OpenTrials::Start& start, int rank) {
    const double some = std::uniform_real_distribution<>(0, 1)(random_);
    return seconds_[start.candidate] * (1 + noise * some) *
           (1 + skew * (static_cast<double>(rank) / size() - 0.5));
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
  std::map<int, Exchange> exchanges_;
  std::vector<double> seconds_;
  std::mt19937 random_;
};

Trials among(int candidates) {
  Trials trials(0);
  trials.challenge(candidates - 1);
  return trials;
}

TEST(OpenTrials, FindTheBestOfFourForAPersistentRequest) {
  Job job(4, among(4), {6e-3, 8e-3, 5.5e-3, 3.6e-3}, 2, 1);
  job.starts(1000);
  job.expect_alike();
  EXPECT_EQ(job.current(), 3);
  EXPECT_GT(job.served(3), 500);
}

TEST(OpenTrials, BeginWithTheCandidateThatServesBlockingCalls) {
  Trials trials(0);
  trials.challenge(2, 2);
  Job job(3, trials, {1e-3, 3e-3, 0.5e-3}, 2, 1);
  job.starts(64);
  EXPECT_EQ(job.served(2), 64);
  job.starts(2000);
  job.expect_alike();
  EXPECT_EQ(job.current(), 2);
}

// Rank 0 makes many starts before the other ranks make one. It waits only when it needs the result
// of an agreement. Then it serves every call with the same choice as the other ranks.
TEST(OpenTrials, AreTheSameOnARankThatHurries) {
  for (const double haste : {1.0, 30.0, 0.02})
    for (unsigned seed = 0; seed < 20; ++seed) {
      Job job(4, among(3), {1e-3, 1.4e-3, 0.6e-3}, 1 + seed % 3, seed);
      job.haste = haste;
      job.starts(600);
      if (testing::Test::HasFatalFailure()) FAIL() << haste << ", seed " << seed;
      job.expect_alike();
      EXPECT_EQ(job.current(), 2) << haste << ", seed " << seed;
    }
}

TEST(OpenTrials, AgreeOnNonblockingCallsWhereTheProgramWaits) {
  Job job(4, among(3), {1e-3, 1.4e-3, 0.6e-3}, OpenTrials::unlimited, 1);
  job.calls(2000, 0, 10);
  job.expect_alike();
  EXPECT_EQ(job.current(), 2);
}

TEST(OpenTrials, LeaveAProgramThatNeverWaitsToTheCurrentCandidate) {
  Job job(4, among(3), {1e-3, 1.4e-3, 0.6e-3}, OpenTrials::unlimited, 1);
  job.calls(5000, 3, 1 << 30);
  job.expect_alike();
  EXPECT_EQ(job.current(), 0);
  EXPECT_LE(job.served(1) + job.served(2), 4) << "one trial without an agreement";
}

// If calls of a trial are still open when the ranks meet, the trial is discarded and repeated.
TEST(OpenTrials, WaitForCallsThatOverlap) {
  Job job(3, among(2), {1e-3, 0.5e-3}, OpenTrials::unlimited, 1);
  job.calls(2000, 40, 7);
  job.expect_alike();
  Job apart(3, among(2), {1e-3, 0.5e-3}, OpenTrials::unlimited, 1);
  apart.calls(2000, 4, 50);
  apart.expect_alike();
  EXPECT_EQ(apart.current(), 1);
}

// Random candidates, speeds, delays and clocks. The ranks never differ. Trials cost at most their
// share, except for the first calls of each candidate.
TEST(OpenTrials, AreTheSameOnAllRanksInAnyJob) {
  std::mt19937 random(3);
  const auto some = [&](double least, double most) {
    return std::uniform_real_distribution<>(least, most)(random);
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::vector<double> seconds;
    for (int i = static_cast<int>(some(2, 6)); i > 0; --i) seconds.push_back(some(0.2, 2.5) * 1e-3);
    const bool persistent = seed % 2 == 0;
    Job job(1 + static_cast<int>(seed % 5), among(static_cast<int>(seconds.size())), seconds,
            persistent ? static_cast<std::int64_t>(some(0, 4)) : OpenTrials::unlimited, seed);
    job.noise = some(0, 0.3);
    job.skew = some(0, 0.05);
    job.haste = some(0, 1) < 0.5 ? some(0.05, 1) : some(1, 20);
    if (persistent)
      job.starts(static_cast<int>(some(50, 3000)));
    else
      job.calls(static_cast<int>(some(50, 3000)), static_cast<int>(some(0, 8)),
                1 + static_cast<int>(some(0, 40)));
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    job.expect_alike();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    EXPECT_LE(job.excess(), Trials::share * 3000 + 2 * 3 * seconds.size() * 13) << seed;
  }
}

}  // namespace
}  // namespace toccata
