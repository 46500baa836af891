// Proves every algorithm with reordered ranks, in every order mode.
#include "writing/reordered.h"

#include <chrono>

#include "../support.h"
#include "proofs/lockstep.h"
#include "topology/placement.h"
#include "topology/reorder/heuristics.h"

namespace toccata {
namespace {

constexpr std::int64_t affordable = test::sanitized ? 5'000 : 40'000;

using Reordered = test::AlgorithmTest;

TEST_P(Reordered, HoldsUnderRandomPermutations) {
  const Algorithm& algorithm = *GetParam();
  const std::vector<int> all_p =
      test::sanitized ? std::vector{1, 4, 6} : std::vector{1, 2, 3, 4, 5, 6, 8, 9, 16};
  for (const int p : all_p) {
    test::Random random(p);
    for (const Shape& sample : sample_shapes(algorithm, p)) {
      if (proof_effort(algorithm, sample) > affordable) continue;
      for (const Order order : all_orders) {
        if (!why_impossible(algorithm, order).empty()) continue;
        Shape known = sample;
        const Shape shape = reordered(algorithm, known, random.permutation(p), order);
        if (!algorithm.why_impossible(shape.reordering->played).empty()) continue;
        std::vector<Schedule> published = test::schedules(algorithm, shape);
        for (Schedule& each : published) each.set_travel(Travel::published);
        for (const std::string& error :
             {verify(algorithm, shape), verify(algorithm, shape, published)})
          ASSERT_EQ(error, "") << test::describe(algorithm, shape) << ", " << name(order)
                               << ", players " << testing::PrintToString(shape.reordering->players);
      }
    }
  }
}

// Compares every byte, with blocks of different sizes if the algorithm supports them.
TEST_P(Reordered, MovesTheRightBytes) {
  const Algorithm& algorithm = *GetParam();
  for (const int p : {4, 8}) {
    test::Random random(p);
    std::vector<Shape> samples = sample_shapes(algorithm, p);
    if (samples.empty()) continue;
    for (const Order order : all_orders) {
      if (!why_impossible(algorithm, order).empty()) continue;
      const Shape shape =
          reordered(algorithm, samples[random.number(0, static_cast<int>(samples.size()) - 1)],
                    random.permutation(p), order);
      if (!algorithm.why_impossible(shape.reordering->played).empty()) continue;
      ByteCall call{.counts = std::vector<std::int64_t>(algorithm.collective.data(shape), 4)};
      if (!algorithm.blocks_alike)
        for (std::int64_t& each : call.counts) each = random.number(0, 5);
      EXPECT_EQ(lockstep(algorithm, shape, call), "")
          << test::describe(algorithm, shape) << ", " << name(order);
    }
  }
}

EVERY_ALGORITHM(Reordered);

TEST(Reordered, IsTheAlgorithmItselfUnderTheIdentity) {
  const Algorithm& ring = *find_algorithm(allgather, "ring");
  const Shape plain = ring.complete({.p = 6});
  const Shape shape = reordered(ring, {.p = 6}, identity(6), Order::exchange);
  const Schedule own = ring.schedule(plain, 2), same = ring.schedule(shape, 2);
  EXPECT_EQ(same.sends(3)[0].peer, own.sends(2)[0].peer) << "after the round of the exchange";
  EXPECT_TRUE(same.sends(0).empty());
  EXPECT_TRUE(same.scratch().empty());
}

TEST(Reordered, RefusesToMoveAllToAllThreeTimes) {
  EXPECT_NE(why_impossible(*find_algorithm(alltoall, "pairwise"), Order::exchange), "");
  EXPECT_EQ(why_impossible(*find_algorithm(alltoall, "pairwise"), Order::straight), "");
  EXPECT_EQ(why_impossible(*find_algorithm(scatter, "binomial"), Order::exchange), "");
}

// p = 65 536. With moved ranks and one exchange, a schedule stays within the plain limit of 64 KiB.
// A shuffle also copies one range per block at either end. The test prints the times.
TEST(Reordered, StaysShortForManyRanks) {
  const int p = 65'536;
  test::Random random(1);
  const std::vector<int> players = random.permutation(p);
  for (const char* name_of : {"bruck:", "sparbit", "recursive_doubling"}) {
    const bool in_place = std::string(name_of) == "bruck:";
    const Algorithm& algorithm = *find_algorithm(allgather, in_place ? "bruck" : name_of);
    Shape known{.p = p, .parameters = Parameters(algorithm.parameters)};
    if (in_place) known.parameters.set(algorithm.parameters[0], 1);  // rotation=none
    for (const Order order : {Order::exchange, Order::shuffle}) {
      const Shape shape = reordered(algorithm, known, players, order);
      const auto start = std::chrono::steady_clock::now();
      const Schedule schedule = algorithm.schedule(shape, 12'345);
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      const std::size_t shuffle = 2 * sizeof(BlockRange) * std::size_t{65'536};
      EXPECT_LE(schedule.memory(), (64U << 10) + (order == Order::shuffle ? shuffle : 0))
          << name_of << " " << name(order);
      std::printf("%s %s: %zu bytes, %.0f us\n", name_of, std::string(name(order)).c_str(),
                  schedule.memory(), time.count());
    }
  }
}

}  // namespace
}  // namespace toccata
