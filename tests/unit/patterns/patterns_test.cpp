#include "patterns/arithmetic.h"
#include "patterns/circulant.h"
#include "patterns/hypercube.h"
#include "support.h"

namespace toccata {
namespace {

TEST(Arithmetic, WrapsRanksOnACircle) {
  EXPECT_EQ(wrap(7, 5), 2);
  EXPECT_EQ(wrap(-1, 5), 4);
  EXPECT_EQ(wrap(-5, 5), 0);
  EXPECT_EQ(wrap(3'000'000'000LL, 7), static_cast<int>(3'000'000'000LL % 7));
}

TEST(Arithmetic, RoundsLogarithmsUp) {
  for (int p = 1; p <= 5000; ++p) {
    int k = 0;
    while ((1 << k) < p) ++k;
    EXPECT_EQ(ceil_log2(p), k) << p;
    EXPECT_EQ(is_power_of_two(p), (1 << k) == p) << p;
  }
}

TEST(Circulant, IsTheSameSeenFromBothEnds) {
  for (const int p : {1, 2, 5, 8})
    for (int rank = 0; rank < p; ++rank)
      for (int distance = -2 * p; distance <= 2 * p; ++distance) {
        const int peer = Circulant{p, rank}.above(distance);
        EXPECT_EQ((Circulant{p, peer}.below(distance)), rank);
        EXPECT_TRUE(peer >= 0 && peer < p);
      }
}

TEST(Hypercube, PairsRanksAndSubCubes) {
  for (int rank = 0; rank < 32; ++rank)
    for (int distance = 1; distance < 32; distance *= 2) {
      const int peer = Hypercube{rank}.across(distance);
      EXPECT_EQ(Hypercube{peer}.across(distance), rank);
      // Both are neighbouring halves of one larger sub-cube.
      EXPECT_EQ(std::abs(Hypercube::lowest(rank, distance) - Hypercube::lowest(peer, distance)),
                distance);
      EXPECT_EQ(Hypercube::lowest(rank, 2 * distance), Hypercube::lowest(peer, 2 * distance));
    }
}

}  // namespace
}  // namespace toccata
