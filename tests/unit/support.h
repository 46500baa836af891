#pragma once

#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "collectives/neighborhood.h"
#include "proofs/samples.h"
#include "proofs/verify.h"
#include "writing/registry.h"

namespace toccata::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

inline BlockRange scratch(int first, int count = 1) { return {Buffer::scratch, first, count}; }

// The blocks of some ranges, one by one.
template <typename Ranges>
std::vector<int> expand(const Ranges& ranges) {
  std::vector<int> blocks;
  for (const BlockRange& range : ranges)
    for_each_block(range, [&](int block) { blocks.push_back(block); });
  return blocks;
}

// The processor time in seconds that this process needs for `work`. Other processes do not change
// it, but machines differ by a factor of 3 or more: a limit is ten times the usual time.
template <typename Work>
double processor_seconds(Work&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Random numbers that are the same in every run; a failing test prints the seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  // From `least` to `most`, both included.
  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(engine_);
  }
  bool coin() { return number(0, 1) == 1; }
  template <typename Element>
  void shuffle(std::vector<Element>& elements) {
    std::ranges::shuffle(elements, engine_);
  }
  std::vector<int> permutation(int size) {
    std::vector<int> result(size);
    std::iota(result.begin(), result.end(), 0);
    shuffle(result);
    return result;
  }

 private:
  std::mt19937 engine_;
};

// p ranks, each a neighbour of all others.
inline std::shared_ptr<const Neighborhood> everyone(int p) {
  std::vector<Neighbors> all;
  for (int rank = 0; rank < p; ++rank) {
    std::vector<int> others;
    for (int each = 0; each < p; ++each)
      if (each != rank) others.push_back(each);
    all.push_back(Neighbors::in_graph(others, others));
  }
  return std::make_shared<const Neighborhood>(std::move(all));
}

inline std::vector<Schedule> schedules(const Algorithm& algorithm, const Shape& shape) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < shape.p; ++rank) all.push_back(algorithm.schedule(shape, rank));
  return all;
}

// "allgather/sparbit:messages=per_block with p = 5", "bcast/binomial with p = 5, root 2"
inline std::string describe(const Algorithm& algorithm, const Shape& shape) {
  return algorithm.path() + shape.parameters.text() + " with p = " + std::to_string(shape.p) +
         (algorithm.collective.rooted ? ", root " + std::to_string(shape.root) : "");
}

// Defines a test for every algorithm of the registry. Use EVERY_ALGORITHM(Suite) after the TEST_Ps
// of Suite.
using AlgorithmTest = testing::TestWithParam<const Algorithm*>;

inline std::string test_name(const testing::TestParamInfo<const Algorithm*>& info) {
  std::string name = info.param->path();
  std::ranges::replace(name, '/', '_');
  return name;
}

inline std::vector<const Algorithm*> algorithms_of(const Collective& collective) {
  std::vector<const Algorithm*> result;
  for (const Algorithm* each : all_algorithms())
    if (&each->collective == &collective) result.push_back(each);
  return result;
}

#define EVERY_ALGORITHM_OF(collective, Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Registry, Suite, testing::ValuesIn(test::algorithms_of(collective)), \
                           test::test_name)

#define EVERY_ALGORITHM(Suite)                                                                  \
  INSTANTIATE_TEST_SUITE_P(Registry, Suite,                                                     \
                           testing::ValuesIn(all_algorithms().begin(), all_algorithms().end()), \
                           test::test_name)

}  // namespace toccata::test

// For readable failures; the default prints bytes.
namespace toccata {
inline void PrintTo(const BlockRange& range, std::ostream* out) {
  *out << name(range.buffer) << " from " << range.first << " count " << range.count << " stride "
       << range.stride << " repeat " << range.repeat;
}
inline void PrintTo(const Algorithm* algorithm, std::ostream* out) { *out << algorithm->path(); }
}  // namespace toccata
