// Compares the papers' closed forms with the cost that the model calculates step by step.
#include "choices/choice.h"
#include "choices/known_shape.h"
#include "costs/cost.h"
#include "patterns/arithmetic.h"
#include "support.h"

namespace toccata {
namespace {

constexpr double alpha = 1e-6, beta = 1e-9;
constexpr std::int64_t block = 24;  // bytes that a rank contributes: m/p

double walked(std::string_view name, int p, int sample = 0) {
  const Algorithm& algorithm = *find_algorithm(allgather, name);
  const Prediction found =
      predict(algorithm, sample_shapes(algorithm, p)[sample], block, hockney(alpha, beta));
  EXPECT_EQ(found.error, "");
  return found.seconds;
}

// [loch2021, section II-A] Every rank receives the p-1 other blocks one after the other.
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

// Regions of s ranks. Messages inside a region cost 1/20 of those between regions.
constexpr double local_alpha = alpha / 20, local_beta = beta / 20;

double walked_by_level(std::string_view request, int regions, int s) {
  Model model = hockney(alpha, beta);
  model.levels.push_back(hockney(local_alpha, local_beta).levels[0]);
  model.levels.back().name = "node";
  const std::string machine = "node:" + std::to_string(regions) + " core:" + std::to_string(s);
  const Choice choice = parse_choice(allgather, request);
  const Shape shape = choice.in(known(regions * s, machine));
  return predict(*choice.algorithm, shape, block, model).seconds;
}

// [bienz2022, equation 3]: the cost of the rank that sends all its messages to other regions. In
// the last rounds of Bruck, all ranks do so. In the first rounds, only some do, and the others wait
// for them at the end.
TEST(ClosedForm, OfBruckAmongRegions) {
  for (const int s : {2, 4, 8, 16})
    for (const int regions : {2, 4, 16, 64})
      EXPECT_NEAR(walked_by_level("bruck", regions, s),
                  ceil_log2(regions * s) * alpha + bytes_of_others(regions * s), 1e-14)
          << regions << " regions of " << s;
}

// [bienz2022, equation 4] for r = s^k. The printed equation lacks log2 s before the local latency.
// Its non-local bytes, all divided by s, cover only the last round. With the earlier rounds, there
// are s + s^2 + ... + s^k blocks.
TEST(ClosedForm, OfLocalityAwareBruck) {
  for (const int s : {2, 4, 8, 16})
    for (int regions = 1, k = 0; regions * s <= 1024; regions *= s, ++k) {
      const int p = regions * s;
      const double non_local = k * alpha + (p - s) / (s - 1) * block * beta;
      const double local = (k + 1) * ceil_log2(s) * local_alpha + (p - 1) * block * local_beta;
      EXPECT_NEAR(walked_by_level("locality_bruck:local_rank_0=idles", regions, s),
                  non_local + local, 1e-14)
          << regions << " regions of " << s;
    }
}

}  // namespace
}  // namespace toccata
