// The costs stated in the papers, written here independently. The forms of Bruck's algorithm differ
// only in the number of copied blocks.
#include <bit>
#include <cmath>

#include "choices/choice.h"
#include "support.h"

namespace toccata {
namespace {

const Algorithm& named(std::string_view name) { return *find_algorithm(alltoall, name); }

Shape with_radix(int p, int radix) {
  const Algorithm& algorithm = named("bruck_radix");
  Shape shape{p, Parameters(algorithm.parameters)};
  shape.parameters.set(algorithm.parameters[0], radix);
  return shape;
}

Cost cost(std::string_view name, int p) {
  return *named(name).claim({p, Parameters(named(name).parameters)});
}

// For each bit, every form with radix 2 sends the blocks whose distance has this bit set.
std::int64_t bits_up_to(int p) {
  std::int64_t bits = 0;
  for (int block = 0; block < p; ++block) bits += std::popcount(static_cast<unsigned>(block));
  return bits;
}

// [oliviero2023, section II]
TEST(AlltoallCost, IsThatOfThePaper) {
  for (int p = 1; p <= 600; ++p) {
    SCOPED_TRACE("p = " + std::to_string(p));
    const auto rounds = static_cast<std::int64_t>(std::ceil(std::log2(p)));
    const std::int64_t sent = bits_up_to(p);
    EXPECT_LE(sent, rounds * (p / 2));
    if (std::exp2(rounds) == p) {
      EXPECT_EQ(sent, rounds * (p / 2)) << "powers of two reach the number in the paper";
    }

    EXPECT_EQ(cost("linear", p), (Cost{p > 1 ? 1 : 0, p - 1, p - 1, 1}));
    EXPECT_EQ(cost("pairwise", p), (Cost{p - 1, p - 1, p - 1, 1}));
    EXPECT_EQ(cost("bruck", p), (Cost{rounds, rounds, sent, p + 2 * sent + 2 * p}));
    EXPECT_EQ(cost("bruck_radix", p), (Cost{rounds, rounds, sent, p + 2 * sent + p}));
    EXPECT_EQ(cost("bruck_modified", p), (Cost{rounds, rounds, sent, p + sent}));
    EXPECT_EQ(cost("bruck_zero_copy", p), (Cost{rounds, rounds, sent, 1}));
  }
}

// [oliviero2023, section II-B]: at most r - 1 rounds for each digit of p - 1. A round has at most
// ⌈p/r⌉ blocks.
TEST(AlltoallCost, OfARadixIsThatOfItsDigits) {
  for (int p = 2; p <= 130; ++p)
    for (int radix = 2; radix <= p; ++radix) {
      std::int64_t rounds = 0, sent = 0, digits = 0;
      for (std::int64_t weight = 1; weight < p; weight *= radix, ++digits)
        rounds += std::min<std::int64_t>(radix - 1, (p - 1) / weight);
      for (int block = 0; block < p; ++block)
        for (int rest = block; rest > 0; rest /= radix) sent += rest % radix != 0 ? 1 : 0;
      const Cost found = *named("bruck_radix").claim(with_radix(p, radix));
      ASSERT_EQ(found, (Cost{rounds, rounds, sent, 2 * p + 2 * sent})) << p << ", " << radix;
      EXPECT_LE(found.rounds, (radix - 1) * digits);
      if (radix == p) {
        EXPECT_EQ(found.sent, p - 1) << "every block goes directly to its destination";
      }
    }
}

TEST(AlltoallRadix, ServesEveryNumberOfRanksUpToItself) {
  for (int p = 1; p <= 40; ++p)
    for (int radix = 2; radix <= std::max(p, 2); ++radix)
      ASSERT_EQ(verify(named("bruck_radix"), with_radix(p, radix)), "") << p << ", " << radix;
  for (const int p : {64, 81, 100, 127})
    for (const int radix : {7, 9, 10, 16, p / 2, p - 1, p})
      ASSERT_EQ(verify(named("bruck_radix"), with_radix(p, radix)), "") << p << ", " << radix;
}

TEST(AlltoallRadix, IsRefusedBeyondTheNumberOfRanks) {
  const Choice choice = parse_choice(alltoall, "bruck_radix:radix=8");
  EXPECT_NO_THROW(choice.in({.p = 8}));
  try {
    choice.in({.p = 7});
    FAIL();
  } catch (const ChoiceError& error) {
    EXPECT_STREQ(error.what(),
                 "alltoall/bruck_radix needs at least 8 ranks for radix 8 (there are 7 ranks)");
  }
}

// The cost of one schedule for 4096 ranks; proof_test covers 65 536 ranks.
TEST(AlltoallFigures, OfABruckFormAreSmall) {
  for (const Algorithm* each : all_algorithms()) {
    if (&each->collective != &alltoall || !each->blocks_alike) continue;
    if (each->by_placement || each->by_grid) continue;
    for (const int p : {4093, 4095, 4096})
      for (const Shape& shape : sample_shapes(*each, p)) {
        double shortest = 1;
        std::size_t memory = 0;
        for (const int rank : {0, 1, 1365, 2048, p - 1}) {
          const double seconds = test::processor_seconds(
              [&] { memory = std::max(memory, each->schedule(shape, rank).memory()); });
          shortest = std::min(shortest, seconds);
        }
        EXPECT_LE(memory, 64U << 10) << test::describe(*each, shape);
        if (!test::sanitized) {
          EXPECT_LE(shortest, 1e-3) << test::describe(*each, shape);
        }
        if (p == 4096)
          RecordProperty(std::string(each->name) + shape.parameters.text(),
                         std::to_string(memory) + " bytes, " + std::to_string(shortest * 1e6) +
                             " microseconds");
      }
  }
}

}  // namespace
}  // namespace toccata
