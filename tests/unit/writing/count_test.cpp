#include "writing/count.h"

#include <cmath>

#include "patterns/arithmetic.h"
#include "support.h"

namespace toccata {
namespace {

Cost of_all(const Algorithm& algorithm, const Shape& shape) {
  Counter counter;
  for (const Schedule& each : test::schedules(algorithm, shape)) counter.add(each);
  return counter.cost();
}

TEST(Counter, TakesTheLargestOfEachAndTheRoundsOfAll) {
  ScheduleBuilder one, other;
  one.round().send(1, recv(0, 3)).round().copy(recv(0), recv(1)).round().round();
  other.round().recv(0, recv(0, 3)).round().round().reduce(recv(0, 2), recv(2, 2));
  other.round().send(0, {recv(0), recv(2)}, Travel::per_block);
  Counter counter;
  counter.add(std::move(one).build());
  EXPECT_EQ(counter.cost(), (Cost{1, 1, 3, 1, 0}));
  counter.add(std::move(other).build());
  EXPECT_EQ(counter.cost(), (Cost{2, 2, 3, 1, 2}));
}

// Patterns that are equal for all ranks, or have their busiest ranks in known positions.
TEST(Count, IsThatOfAllRanksWhereOnlySomeAreCounted) {
  for (const Algorithm* each : all_algorithms()) {
    if (each->by_placement || each->by_grid || each->collective.among_neighbors) continue;
    for (const int p : {65, 100, 127, 128, 200})
      for (const Shape& shape : sample_shapes(*each, p)) {
        Cost some = count(*each, shape);
        const Cost all = of_all(*each, shape);
        // In a folded butterfly that swings, any rank may be the busiest one.
        if (each->name == "bine" && !each->claimed(shape)) {
          EXPECT_LE(all.sent - some.sent, 2) << test::describe(*each, shape);
          EXPECT_LE(all.reduced - some.reduced, 2) << test::describe(*each, shape);
          some.sent = all.sent;
          some.reduced = all.reduced;
        }
        EXPECT_EQ(some, all) << test::describe(*each, shape);
      }
  }
}

// For other patterns, the count may miss the busiest rank, and rounds without messages of the
// counted ranks.
TEST(Count, IsNeverMoreThanThatOfAllRanks) {
  for (const Algorithm* each : all_algorithms())
    for (const int p : {81, 128})
      for (const Shape& shape : sample_shapes(*each, p)) {
        if (test::sanitized && p > 81) break;
        SCOPED_TRACE(test::describe(*each, shape));
        const Cost some = count(*each, shape), all = of_all(*each, shape);
        EXPECT_LE(some.rounds, all.rounds);
        EXPECT_LE(some.messages, all.messages);
        EXPECT_LE(some.sent, all.sent);
        EXPECT_LE(some.copied, all.copied);
        EXPECT_LE(some.reduced, all.reduced);
        EXPECT_GT(some.messages, 0);
      }
}

TEST(TellingRanks, AreFew) {
  EXPECT_EQ(telling_ranks({.p = 64}).size(), 64U);
  for (const int p : {65, 1000, 65'536}) {
    const std::vector<int> ranks = telling_ranks({.p = p, .root = p - 2});
    EXPECT_LE(ranks.size(), 12 + 2 * std::log2(p));
    EXPECT_GE(ranks.front(), 0);
    EXPECT_LT(ranks.back(), p);
    EXPECT_NE(std::ranges::find(ranks, p - 2), ranks.end()) << "the root";
  }
}

}  // namespace
}  // namespace toccata
