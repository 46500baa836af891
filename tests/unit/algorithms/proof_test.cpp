// Proves every algorithm of the registry, with every sample of its parameters, for many p.
#include <chrono>
#include <set>

#include "patterns/arithmetic.h"
#include "support.h"
#include "topology/mesh.h"
#include "writing/count.h"

namespace toccata {
namespace {

using Proof = test::AlgorithmTest;

// Without sanitizers, the test `proofs` proves all of them, with more effort. Sanitizers are ten
// times slower, and check only the code that writes schedules. For this, fewer numbers of ranks
// suffice.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::int64_t affordable = 100'000;

void prove(const Algorithm& algorithm, int p) {
  for (const Shape& shape : sample_shapes(algorithm, p)) {
    if (proof_effort(algorithm, shape) > affordable) continue;
    ASSERT_EQ(verify(algorithm, shape), "") << test::describe(algorithm, shape);
  }
}

TEST_P(Proof, HoldsForFewRanks) {
  for (int p = 1; p <= 33; ++p) prove(*GetParam(), p);
  prove(*GetParam(), 128);
}

TEST_P(Proof, HoldsForManyRanks) { prove(*GetParam(), 1021); }
#endif

TEST_P(Proof, HoldsHoweverMessagesTravel) {
  const Algorithm& algorithm = *GetParam();
  for (int p = 1; p <= (test::sanitized ? 6 : 40); ++p)
    for (const Shape& shape : sample_shapes(algorithm, p))
      for (const Travel travel :
           {Travel::packed, Travel::datatype, Travel::per_block, Travel::published}) {
        std::vector<Schedule> all = test::schedules(algorithm, shape);
        for (Schedule& each : all) each.set_travel(travel);
        ASSERT_EQ(verify(algorithm, shape, all), "")
            << test::describe(algorithm, shape) << ", travel " << name(travel);
      }
}

EVERY_ALGORITHM(Proof);

// The time to write one rank's schedule for 65 536 ranks, or for 4096 if its length grows with the
// number of ranks. The test prints the time, but does not check it.
using Figures = test::AlgorithmTest;

// With a single round, some rank has p messages in it, so the length cannot be logarithmic.
bool as_long_as_p(const Cost& cost) {
  return cost.rounds == 1 || cost.rounds > 64 || cost.messages > 64;
}

// Segments of different blocks take different paths: each segment is a range.
bool segments_part(const Algorithm& algorithm, const Shape& shape) {
  return &algorithm.collective == &allgather && shape.parts > 1 && !algorithm.by_grid;
}

std::size_t allowed_memory(const Shape& shape) {
  // On a torus, the cells of each line may be a separate range in each message.
  if (shape.grid && shape.grid->mesh.dimensions() > 1) return std::size_t{64} * shape.p;
  // If the ranks of a region are not consecutive, each of its blocks may be a separate range.
  for (int level = 0; shape.placement && level < shape.placement->machine().levels(); ++level)
    if (!shape.placement->regions(level).consecutive()) return std::size_t{320} * shape.p;
  return 64U << 10;
}

TEST_P(Figures, AreSmallForManyRanks) {
  const Algorithm& algorithm = *GetParam();
  std::size_t most_memory = 0;
  double longest = 0;
  std::set<std::string> long_ones;  // settings, found with the first p
  std::vector<int> many{4096, 65'521, 65'535, 65'536};
  if (sample_shapes(algorithm, many[0]).empty()) many = {1024};  // runs only with fewer ranks
  for (const int p : many)
    for (const Shape& shape : sample_shapes(algorithm, p)) {
      const std::string setting = shape.parameters.text();
      if (p > 4096 && long_ones.contains(setting)) continue;
      test::Random random(p);
      std::vector<int> ranks{0, 1, p / 2, p - 1};
      for (int i = 0; i < 8; ++i) ranks.push_back(random.number(0, p - 1));
      std::size_t memory = 0;
      int rounds = 0;  // including empty ones, as in a chain
      Counter counter;
      for (const int rank : ranks) {
        const auto start = std::chrono::steady_clock::now();
        const Schedule schedule = algorithm.schedule(shape, rank);
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - start;
        longest = std::max(longest, time.count());
        memory = std::max(memory, schedule.memory());
        rounds = std::max(rounds, schedule.rounds());
        counter.add(schedule);
      }
      const bool is_long =
          rounds > 64 || as_long_as_p(counter.cost()) || segments_part(algorithm, shape);
      if (is_long) long_ones.insert(setting);
      EXPECT_LE(memory, is_long ? std::size_t{640} * p : allowed_memory(shape))
          << test::describe(algorithm, shape);
      most_memory = std::max(most_memory, memory);
    }
  EXPECT_GT(most_memory, 0);
  RecordProperty("memory_bytes", static_cast<int>(most_memory));
  RecordProperty("generation_microseconds", std::to_string(longest));
}

EVERY_ALGORITHM(Figures);

}  // namespace
}  // namespace toccata
