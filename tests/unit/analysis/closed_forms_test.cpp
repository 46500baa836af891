// The papers' closed forms against the cost that the walk finds.
#include "analysis/cost.h"
#include "patterns/arithmetic.h"
#include "support.h"

namespace toccata {
namespace {

constexpr double alpha = 1e-6, beta = 1e-9;
constexpr std::int64_t block = 24;  // bytes a rank contributes: m/p

double walked(std::string_view name, int p, int sample = 0) {
  const Algorithm& algorithm = *find_algorithm(allgather, name);
  const Prediction found =
      predict(algorithm, sample_shapes(algorithm, p)[sample], block, hockney(alpha, beta));
  EXPECT_EQ(found.error, "");
  return found.seconds;
}

// [loch2021, section II-A] Every rank gets the p-1 other blocks one after the other.
double bytes_of_others(int p) { return (p - 1) * block * beta; }

const std::vector<int>& ranks() {
  static const std::vector<int> several = [] {
    std::vector<int> result(64);
    std::iota(result.begin(), result.end(), 1);
    for (const int p : {100, 127, 128, 129, 250, 256, 300}) result.push_back(p);
    return result;
  }();
  return several;
}

TEST(ClosedForm, OfRing) {
  for (const int p : ranks())
    EXPECT_NEAR(walked("ring", p), (p - 1) * alpha + bytes_of_others(p), 1e-15) << p;
}

TEST(ClosedForm, OfNeighborExchange) {
  for (int p = 2; p <= 300; p += 2)
    EXPECT_NEAR(walked("neighbor_exchange", p), p / 2 * alpha + bytes_of_others(p), 1e-15) << p;
}

TEST(ClosedForm, OfRecursiveDoubling) {
  for (int p = 1, log = 0; p <= 1024; p *= 2, ++log)
    EXPECT_NEAR(walked("recursive_doubling", p), log * alpha + bytes_of_others(p), 1e-15) << p;
}

TEST(ClosedForm, OfBruckAndSparbit) {
  for (const int p : ranks()) {
    const double formula = ceil_log2(p) * alpha + bytes_of_others(p);
    EXPECT_NEAR(walked("bruck", p), formula, 1e-15) << p;
    EXPECT_NEAR(walked("sparbit", p), formula, 1e-15) << p;
  }
}

}  // namespace
}  // namespace toccata
