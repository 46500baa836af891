#include "schedule/backwards.h"

#include "support.h"

namespace toccata {
namespace {

int rounds_of(const std::vector<Schedule>& all) {
  int rounds = 0;
  for (const Schedule& each : all) rounds = std::max(rounds, each.rounds());
  return rounds;
}

TEST(Backwards, MakesAGatherOfAScatter) {
  for (const std::string_view name : {"linear", "torus_mst"})
    for (int p = 1; p <= 40; ++p)
      for (const int root : {0, p / 2}) {
        const Algorithm& algorithm = *find_algorithm(scatter, name);
        const Shape shape = algorithm.complete({.p = p, .root = root});
        const std::vector<Schedule> forwards = test::schedules(algorithm, shape);
        std::vector<Schedule> all;
        for (const Schedule& each : forwards) all.push_back(backwards(each, rounds_of(forwards)));
        EXPECT_EQ(verify(gather, shape, all), "") << name << ", p = " << p;
        std::vector<Schedule> again;
        for (const Schedule& each : all) again.push_back(backwards(each, rounds_of(all)));
        EXPECT_EQ(verify(scatter, shape, again), "") << name << ", p = " << p;
      }
}

TEST(Collecting, MakesAReduceScatterOfAnAllgather) {
  for (const std::string_view name : {"ring", "recursive_doubling", "neighbor_exchange", "sparbit",
                                      "torus_bucket", "torus_multiport"})
    for (int p = 1; p <= 40; ++p) {
      const Algorithm& algorithm = *find_algorithm(allgather, name);
      if (!algorithm.why_impossible({.p = p}).empty()) continue;
      const Shape shape = algorithm.complete({.p = p});
      const std::vector<Schedule> forwards = test::schedules(algorithm, shape);
      std::vector<Schedule> all;
      for (int rank = 0; rank < p; ++rank)
        all.push_back(
            collecting(forwards[rank], rounds_of(forwards), rank * shape.parts, shape.parts));
      EXPECT_EQ(verify(reduce_scatter, shape, all), "") << name << ", p = " << p;
    }
}

// A root with two children in one round: one block arrives in its final position, the other in
// spare memory.
TEST(Collecting, TakesInWhatComesAtTheSameTime) {
  ScheduleBuilder middle;
  middle.round().recv(0, recv(0)).round().send(2, recv(0)).send(3, recv(0));
  const Schedule all = collecting(std::move(middle).build(), 2, 0, 0);
  ASSERT_EQ(all.rounds(), 3);
  EXPECT_EQ(blocks(all.scratch()), 2);
  EXPECT_EQ(all.recvs(1).size(), 2U);
  EXPECT_EQ(all.steps(1).size(), 2U);
  EXPECT_TRUE(all.steps(1)[0].reduces);
  EXPECT_EQ(all.sends(2).size(), 1U);
  EXPECT_EQ(all.ranges(all.sends(2)[0])[0].buffer, Buffer::scratch);
}

}  // namespace
}  // namespace toccata
