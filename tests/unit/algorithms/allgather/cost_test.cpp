// The costs stated in the papers, written here independently.
#include <cmath>

#include "support.h"

namespace toccata {
namespace {

Cost cost(std::string_view name, int p, int sample = 0) {
  const Algorithm& algorithm = *find_algorithm(allgather, name);
  return *algorithm.claim(sample_shapes(algorithm, p)[sample]);
}

// [loch2021, sections II-A and III-C], in the Hockney model: the factors of α and of (m/p)·β.
TEST(AllgatherCost, IsThatOfTheSparbitPaper) {
  for (int p = 1; p <= 3000; ++p) {
    SCOPED_TRACE("p = " + std::to_string(p));
    const auto logarithm = static_cast<std::int64_t>(std::ceil(std::log2(p)));
    EXPECT_EQ(cost("ring", p), (Cost{p - 1, p - 1, p - 1, 1}));
    if (p % 2 == 0) {
      EXPECT_EQ(cost("neighbor_exchange", p), (Cost{p / 2, p / 2, p - 1, 1}));
    }
    if (std::exp2(logarithm) == p) {
      EXPECT_EQ(cost("recursive_doubling", p), (Cost{logarithm, logarithm, p - 1, 1}));
    }
    EXPECT_EQ(cost("bruck", p), (Cost{logarithm, logarithm, p - 1, p + 1}));
    EXPECT_EQ(cost("bruck", p, 1), (Cost{logarithm, logarithm, p - 1, 1}));
    EXPECT_EQ(cost("sparbit", p), (Cost{logarithm, logarithm, p - 1, 1}));
    // One message per block, as in algorithm 1.
    EXPECT_EQ(cost("sparbit", p, 1), (Cost{logarithm, p - 1, p - 1, 1}));
  }
}

TEST(AllgatherCost, IsImpossibleWhereThePaperSaysSo) {
  const Algorithm& pairs = *find_algorithm(allgather, "neighbor_exchange");
  const Algorithm& cube = *find_algorithm(allgather, "recursive_doubling");
  for (int p = 1; p <= 300; ++p) {
    EXPECT_EQ(pairs.why_impossible({p}), p % 2 == 0 ? "" : "needs an even number of ranks");
    const bool power = p == 1 || p == 2 || p == 4 || p == 8 || p == 16 || p == 32 || p == 64 ||
                       p == 128 || p == 256;
    EXPECT_EQ(cube.why_impossible({p}), power ? "" : "needs a power of two ranks");
  }
}

}  // namespace
}  // namespace toccata
