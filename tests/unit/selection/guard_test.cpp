#include "selection/guard.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace toccata {
namespace {

// Ranks without MPI: each has a guard, and a clock of its own. Calls take what the way takes, and
// what a rank waits for others.
class Job {
 public:
  Job(int ranks, Guard guard, std::vector<double> seconds, unsigned seed)
      : guards_(ranks, guard), seconds_(std::move(seconds)), random_(seed) {}

  bool one_way = false;
  std::vector<double> alone;  // by way: what a rank that comes last takes, as a share of the call
  double noise = 0;           // of each call's time, as a share
  double late = 0;            // seconds that one rank in each call comes late, at most
  std::vector<double> rhythm = {1};  // of that, in turn
  bool always = false;               // as late as that, not at random
  double agreement = 0;              // seconds
  double skew = 0;                   // of clocks' rates, as a share: they lie
  std::vector<int> served = std::vector<int>(8);
  double spent = 0, trials = 0;

  void call() {
    const Guard::Turn turn = guards_[0].turn();
    for (const Guard& each : guards_) {
      ASSERT_EQ(each.turn().way, turn.way) << "ranks differ at call " << each.calls();
      ASSERT_EQ(each.turn().timed, turn.timed);
    }
    ++served[turn.way];
    std::uniform_real_distribution<> some(0, 1);
    const double own = seconds_[turn.way] * (1 + noise * some(random_));
    spent += own;
    if (turn.way != guards_[0].stands())
      trials += std::max(0.0, own - seconds_[guards_[0].stands()]);
    const auto last = static_cast<std::size_t>(some(random_) * guards_.size());
    const double lateness =
        late * rhythm[guards_[0].calls() % rhythm.size()] * (always ? 1 : some(random_));
    const double share = alone.empty() ? 1 : alone[turn.way];
    bool agrees = false;
    for (std::size_t rank = 0; rank < guards_.size(); ++rank) {
      // Of one way's data, who comes late finds them there, and the others wait for none.
      double seconds = own + lateness;
      if (rank == last) seconds = own * (1 - (1 - share) * std::min(1.0, lateness / own));
      if (one_way) seconds = rank == last ? own * 0.1 : own + (last == 0 ? lateness : 0);
      seconds *= 1 + skew * (static_cast<double>(rank) / guards_.size() - 0.5);
      agrees = guards_[rank].ended(turn.timed ? seconds : 0);
    }
    if (!agrees) return;
    std::vector<double> least = guards_[0].ballot();
    for (const Guard& each : guards_) {
      const std::vector<double> ballot = each.ballot();
      for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], ballot[i]);
    }
    spent += agreement;
    trials += agreement;
    for (Guard& each : guards_) {
      each.agree(least, agreement);
      if (each.wants_ways()) each.challenge(static_cast<int>(seconds_.size()) - 1);
    }
  }
  void calls(int number) {
    for (int i = 0; i < number; ++i) call();
  }
  const Guard& guard() const { return guards_[0]; }
  double best() const { return *std::ranges::min_element(seconds_); }
  double standing() const { return seconds_[guard().stands()]; }

 private:
  std::vector<Guard> guards_;
  std::vector<double> seconds_;
  std::mt19937 random_;
};

TEST(Guard, LeavesTheFirstCallsToTheWayThatStands) {
  Job job(4, Guard(0), {1e-3, 1e-4}, 1);
  job.calls(64);
  EXPECT_EQ(job.served[0], 64);
}

TEST(Guard, HasTheBetterOfTwoAfter200Calls) {
  for (const double other : {0.1, 0.5, 0.9, 1.1, 1.5, 2.5}) {
    Job job(4, Guard(0), {1e-3, other * 1e-3}, 1);
    job.noise = 0.05;
    job.agreement = 2e-4;
    job.calls(200);
    EXPECT_EQ(job.guard().stands(), other < 1 ? 1 : 0) << other;
  }
}

// On a network on which to agree takes longer than a call: each agreement saved counts. Beyond the
// share come the two first calls of the slow way (2 ms each), and two agreements: the first, which
// is not counted, and the second, before which nobody knows how long one takes.
TEST(Guard, HasTheBestOfFourAfter500CallsThoughToAgreeTakesTwo) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Job job(4, Guard(10e-3), {6e-3, 8e-3, 5.5e-3, 3.6e-3}, seed);
    job.noise = 0.1;
    job.agreement = 12e-3;
    job.calls(500);
    EXPECT_EQ(job.guard().stands(), 3) << seed;
    EXPECT_LT(job.trials, Guard::share * job.spent + 4e-3 + 2 * job.agreement) << seed;
  }
}

TEST(Guard, RecoversFromABadWayThatWasTrusted) {
  Job job(4, Guard::trusting(1), {1e-3, 3e-3}, 1);
  job.calls(64);
  EXPECT_EQ(job.served[1], 64);
  job.calls(136);
  EXPECT_EQ(job.guard().stands(), 0);
}

TEST(Guard, KeepsAGoodWayThatWasTrusted) {
  Job job(4, Guard::trusting(1), {1e-3, 0.5e-3}, 1);
  job.calls(2000);
  EXPECT_EQ(job.guard().stands(), 1);
  EXPECT_LT(job.trials, Guard::share * job.spent);
}

TEST(Guard, CutsOffWhatIsManyTimesSlowerAfterItsFirstTry) {
  Job job(4, Guard(0), {1e-3, 50e-3}, 1);
  job.calls(100'000);
  EXPECT_EQ(job.served[1], 2);  // its first call may have to set things up
  EXPECT_EQ(job.guard().stands(), 0);
}

TEST(Guard, AsksForChallengersOnceTheyPay) {
  Job job(2, Guard(1e-3), {1e-6, 0.5e-6}, 1);  // pay after 50 000 calls
  job.calls(50'000);
  EXPECT_EQ(job.served[1], 0);
  job.calls(100'000);
  EXPECT_EQ(job.guard().stands(), 1);
}

TEST(Guard, NoticesWhenTimesChange) {
  Guard guard(0);
  double seconds[] = {1.0, 0.5};
  for (int call = 0; call < 20'000; ++call) {
    if (call == 1000) seconds[1] = 2;
    const Guard::Turn turn = guard.turn();
    if (!guard.ended(seconds[turn.way])) continue;
    guard.agree(guard.ballot());
    if (guard.wants_ways()) guard.challenge(1);
    if (call < 1000 && call > 200) {
      EXPECT_EQ(guard.stands(), 1);
    }
  }
  EXPECT_EQ(guard.stands(), 0);
}

// A rank that comes late, at random or in a rhythm, and up to ten times as late as the call takes:
// the slower way does not take over, and where lateness is less than the call, the faster one does.
TEST(Guard, IsNotFooledByARankThatComesLate) {
  for (const double late : {0.5e-3, 1e-3, 10e-3})
    for (const std::vector<double>& rhythm :
         {std::vector{1.0}, {1, 0.1}, {1, 0.1, 0.1}, {1, 0.1, 0.1, 0.1}})
      for (const bool one_way : {false, true}) {
        int kept = 0, found = 0;
        for (unsigned seed = 0; seed < 200; ++seed)
          for (const double other : {0.7e-3, 1.4e-3}) {
            Job job(4, Guard(0), {1e-3, other}, seed);
            job.one_way = one_way;
            job.late = late;
            job.rhythm = rhythm;
            job.noise = 0.05;
            job.calls(1000);
            if (other < 1e-3)
              found += job.guard().stands();
            else
              kept += 1 - job.guard().stands();
          }
        EXPECT_GE(kept, 200 * 95 / 100) << late << ", in " << rhythm.size();
        if (late <= 1e-3) {
          EXPECT_GE(found, 200 * 85 / 100) << late << ", in " << rhythm.size();
        }
      }
}

// A matrix and a vector, say, then a product of vectors: in every second or third call a rank is
// late by three or ten times what the call takes, whichever call that is when trials begin.
TEST(Guard, KeepsNoStepWithAProgram) {
  for (const double late : {3e-3, 10e-3})
    for (const std::vector<double>& rhythm :
         {std::vector{1.0, 0.0}, {0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0, 0}})
      for (const double other : {0.5e-3, 1.4e-3})
        for (unsigned seed = 0; seed < 20; ++seed) {
          Job job(4, Guard(0), {1e-3, other}, seed);
          job.late = late;
          job.rhythm = rhythm;
          job.always = true;
          job.noise = 0.05;
          job.calls(3000);
          EXPECT_EQ(job.guard().stands(), other < 1e-3 ? 1 : 0)
              << late << ", in " << rhythm.size() << ", seed " << seed;
        }
}

// Five ways that are slower, and agreements that take as long as a call.
TEST(Guard, IsNotFooledByOneOfFive) {
  int kept = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Job job(4, Guard(1e-3), {1e-3, 1.4e-3, 1.4e-3, 1.4e-3, 1.4e-3, 1.4e-3}, seed);
    job.late = 10e-3;
    job.noise = 0.05;
    job.agreement = 1e-3;
    job.calls(1000);
    kept += job.guard().stands() == 0 ? 1 : 0;
  }
  EXPECT_GE(kept, 200 * 85 / 100);
}

// To agree, and to find ways, is next to nothing there.
TEST(Guard, DecidesOnLongCallsIn120) {
  Job job(16, Guard(10e-3), {0.26, 0.15, 0.1, 0.07, 0.09, 0.08}, 1);
  job.noise = 0.1;
  job.agreement = 10e-3;
  job.calls(120);
  EXPECT_EQ(job.guard().stands(), 3);
}

TEST(Guard, HasDecidedOnceAllAreComparedOrCutOff) {
  Job job(4, Guard(0), {1e-3, 1.1e-3, 50e-3}, 1);
  EXPECT_FALSE(job.guard().decided());
  job.calls(80);
  EXPECT_FALSE(job.guard().decided());
  job.calls(5000);
  EXPECT_TRUE(job.guard().decided());
}

// As among 16 ranks of four hosts: recursive multiplying takes as long as the MPI
// library's own, but a rank that comes last is through in a third of that.
TEST(Guard, IsNotFooledByARankThatFindsAllMessagesThere) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Job job(16, Guard(0), {5.8e-3, 5.7e-3, 3.3e-3}, seed);
    job.alone = {0.5, 0.3, 0.6};
    job.late = 5e-3;
    job.noise = 0.05;
    job.calls(1000);
    found += job.guard().stands() == 2 ? 1 : 0;
  }
  EXPECT_GE(found, 90);
}

// Any ways, any noise, clocks that lie: ranks never differ (asserted at each call), trials cost at
// most their share but for first tries, and what stands in the end is hardly worse than the best.
TEST(Guard, KeepsWithinItsShareInAnyJob) {
  std::mt19937 random(7);
  const auto some = [&](double least, double most) {
    return std::uniform_real_distribution<>(least, most)(random);
  };
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const int ways = 1 + static_cast<int>(some(1, 4));
    std::vector<double> seconds;
    for (int way = 0; way < ways; ++way) seconds.push_back(some(0.2, 2.5) * 1e-3);
    Job job(1 + seed % 5, seed % 3 == 0 ? Guard::trusting(1) : Guard(some(0, 5e-3)),
            std::vector<double>(seconds.begin(), seconds.begin() + (seed % 3 == 0 ? 2 : ways)),
            seed);
    job.noise = some(0, 0.2);
    job.agreement = some(0, 1e-3);
    job.skew = 0.01;
    job.calls(static_cast<int>(some(64, 10'000)));
    if (testing::Test::HasFatalFailure()) return;
    const double first_tries = 2 * 2.5e-3 * 3;
    EXPECT_LE(job.trials, Guard::share * job.spent + first_tries + 2 * job.agreement) << seed;
    if (job.guard().calls() > 3000) {
      EXPECT_LE(job.standing(), 1.25 * job.best()) << seed;
    }
  }
}

// A rank that reports counts its calls one by one, and others pass.
TEST(Guard, DecidesTheSameWhereCallsPassAtOnce) {
  const std::vector<double> seconds = {1e-3, 0.8e-3, 0.9e-3, 2e-3};
  Guard counting(1e-3), passing(1e-3);
  std::int64_t left = 0;
  int trials = 0;
  for (int call = 0; call < 20'000; ++call) {
    const Guard::Turn turn = counting.turn();
    if (left == 0 && !passing.turn().timed) left = passing.pass();
    ASSERT_EQ(left == 0, turn.timed) << "call " << call;
    if (left > 0) {
      ASSERT_EQ(passing.stands(), turn.way);
      --left;
      ASSERT_FALSE(counting.ended());
      continue;
    }
    ASSERT_EQ(passing.turn().way, turn.way);
    const bool agrees = counting.ended(seconds[turn.way]);
    ASSERT_EQ(passing.ended(seconds[turn.way]), agrees);
    if (!agrees) continue;
    ++trials;
    for (Guard* const each : {&counting, &passing}) {
      each->agree(each->ballot(), 1e-4);
      if (each->wants_ways()) each->challenge(3);
    }
  }
  EXPECT_GT(trials, 3);
  EXPECT_EQ(passing.stands(), 1);
}

}  // namespace
}  // namespace toccata
