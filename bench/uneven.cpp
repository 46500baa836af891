#include "uneven.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace toccata::bench {

namespace {

// A pseudo-random number from 0 to 1, by the mixing function of SplitMix64. For a pair of ranks, it
// is the same on every rank and in every run.
double random_of(std::uint64_t source, std::uint64_t destination) {
  std::uint64_t bits = (source << 32 | destination) + 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

}  // namespace

int block_bytes(const std::string& distribution, int source, int destination, int size,
                double mean) {
  const double random = random_of(source, destination);
  double bytes = mean;
  if (distribution == "uniform" || distribution == "silent") bytes = 2 * mean * random;
  if (distribution == "silent" && source == size - 1) bytes = 0;
  // Pareto distribution with exponent 3/2: few blocks contain most of the data; none is more than
  // 64 times the mean.
  if (distribution == "power_law")
    bytes = std::min(mean / 3 * std::pow(1 - random, -2.0 / 3), 64 * mean);
  return static_cast<int>(bytes + 0.5);
}

}  // namespace toccata::bench
