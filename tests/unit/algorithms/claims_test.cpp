// Which algorithms have a claim; proofs compare the claims with the schedules.
#include "support.h"

namespace toccata {
namespace {

// For some of their shapes only: docs/design/0020-proofs.md.
TEST(Claims, AllAlgorithmsHaveOne) {
  for (const Algorithm* each : all_algorithms()) EXPECT_NE(each->claim, nullptr) << each->path();
}

TEST(Claims, CoverSomeSamplesAtLeast) {
  for (const Algorithm* each : all_algorithms()) {
    if (each->claim == nullptr) continue;
    int covered = 0;
    for (const int p : {16, 20, 27})  // 20: also without a machine
      for (const Shape& shape : sample_shapes(*each, p)) covered += each->claimed(shape) ? 1 : 0;
    EXPECT_GT(covered, 0) << each->path();
  }
}

Shape in(const Algorithm& algorithm, int p, std::shared_ptr<const Placement> placement) {
  return algorithm.complete({.p = p, .placement = std::move(placement)});
}

// [bienz2022, traff2020, karonis2000] with 4 nodes of 4 ranks, and with uneven nodes.
TEST(Claims, CoverEvenNodesOnly) {
  const auto even = sample_placements(16)[1], uneven = sample_placements(15)[1];
  for (const auto& [collective, name, cost] :
       {std::tuple(&allgather, "multi_lane", Cost{4, 4, 15, 1}),
        std::tuple(&allgather, "hierarchical", Cost{6, 4, 12 + 32, 1}),
        std::tuple(&bcast, "hierarchical", Cost{4, 4, 4}),
        std::tuple(&reduce, "hierarchical", Cost{4, 1, 1, 1, 4}),
        std::tuple(&reduce_scatter, "multi_lane", Cost{4, 4, 15, 1, 15}),
        std::tuple(&scatter, "hierarchical", Cost{4, 4, 15, 1}),
        std::tuple(&gather, "hierarchical", Cost{4, 1, 8, 1})}) {
    const Algorithm& algorithm = *find_algorithm(*collective, name);
    EXPECT_EQ(algorithm.claimed(in(algorithm, 16, even)), cost) << algorithm.path();
    EXPECT_EQ(algorithm.claimed(in(algorithm, 15, uneven)), std::nullopt) << algorithm.path();
  }
}

// [desensi2024; desensi2025] for powers of two.
TEST(Claims, OfFoldedButterfliesAreMissing) {
  for (const char* name : {"bine", "swing"}) {
    const int parts = std::string(name) == "swing" ? 2 : 1;
    const Algorithm& half = *find_algorithm(allgather, name);
    const Algorithm& both = *find_algorithm(allreduce, name);
    EXPECT_EQ(half.claimed(half.complete({.p = 16})), (Cost{4, 4 * parts, 15 * parts, parts}));
    EXPECT_EQ(both.claimed(both.complete({.p = 16})),
              (Cost{8, 8 * parts, 30 * parts, 2 * parts, 15 * parts}));
    EXPECT_EQ(half.claimed(half.complete({.p = 12})), std::nullopt);
    EXPECT_EQ(both.claimed(both.complete({.p = 12})), std::nullopt);
  }
}

}  // namespace
}  // namespace toccata
