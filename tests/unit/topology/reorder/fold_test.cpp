#include "topology/reorder/fold.h"

#include <gtest/gtest.h>

#include "../../support.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

Placement placed(std::string_view machine, std::string_view name = "sequential") {
  const auto parsed = std::make_shared<const Machine>(parse_machine(machine));
  return place(parsed, parsed->objects(parsed->innermost()), name);
}

Mesh torus(std::vector<int> dims) {
  const std::size_t n = dims.size();
  return {std::move(dims), std::vector<bool>(n, true)};
}

double hops(const Placement& placement, const Mesh& job, const Mapping& mapping) {
  return hop_bytes(placement, flows_between_neighbours(job), mapping);
}

TEST(Snake, GoesFromNeighbourToNeighbour) {
  for (const std::vector<int>& dims :
       {std::vector{3, 4}, {5}, {2, 3, 4}, {4, 1, 3}, {2, 2, 2, 2}}) {
    const Mesh mesh{dims, std::vector<bool>(dims.size(), false)};
    const std::vector<int> cells = snake(mesh);
    for (std::size_t i = 1; i < cells.size(); ++i) EXPECT_EQ(mesh.hops(cells[i - 1], cells[i]), 1);
    std::vector<int> sorted = cells;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, identity(mesh.cells()));
  }
}

// All pairs of neighbours stay one link apart, so there are as many hops as flows.
TEST(Fold, KeepsNeighboursWhereDimensionsGroup) {
  struct Case {
    const char* machine;
    Mesh job;
  };
  for (const Case& each :
       {Case{"torus:4x4x4", torus({8, 8})}, Case{"torus:4x4x4", torus({64})},
        Case{"torus:8x4", torus({32})}, Case{"torus:4x6", torus({24})},
        Case{"torus:2x2x2x2x2x2x2x2x2x2x2x2", torus({16, 16, 16})},  // 34 650 ways, all alike
        Case{"torus:2x3x4", torus({6, 4})}, Case{"torus:3x4x5", torus({5, 12})}}) {
    const Placement placement = placed(each.machine);
    const Mapping mapping = fold(placement, each.job);
    Mapping sorted = mapping;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, identity(placement.p()));
    const Flows flows = flows_between_neighbours(each.job);
    double all = 0;
    for (int rank = 0; rank < flows.p(); ++rank)
      flows.for_each(rank, [&](int, double bytes) { all += bytes; });
    if (each.job.dims != std::vector{8, 8})
      EXPECT_EQ(hops(placement, each.job, mapping), all) << each.machine;
    else
      EXPECT_LT(hops(placement, each.job, mapping),
                hops(placement, each.job, identity(placement.p())));
  }
}

TEST(Fold, NeverHasMoreHopsThanTheRanksAsTheyAre) {
  for (const char* machine :
       {"torus:4x4 core:4", "mesh:5x3 core:2", "node:8 socket:2 core:4", "torus:2x2x2x2 core:4"})
    for (const char* name : {"sequential", "cyclic", "random:1"}) {
      const Placement placement = placed(machine, name);
      const int p = placement.p();
      for (const Mesh& job : {torus({p}), Mesh{{p / 2, 2}, {false, true}}}) {
        if (job.cells() != p) continue;
        EXPECT_LE(hops(placement, job, fold(placement, job)), hops(placement, job, identity(p)))
            << machine << " " << name;
      }
    }
}

TEST(FoldRing, ComesHomeOnATorusWithTheRootInItsPlace) {
  for (const char* machine : {"torus:4x4", "torus:6x5", "torus:3x4x5"}) {
    const Placement placement = placed(machine, "random:5");
    const int p = placement.p();
    for (const int root : {0, p / 2}) {
      const Mapping mapping = fold_ring(placement, {.root = root});
      EXPECT_EQ(mapping[0], root);
      EXPECT_EQ(hops(placement, torus({p}), mapping), 2 * p) << machine;
    }
  }
  const Placement tree = placed("node:4 core:4", "cyclic");
  EXPECT_EQ(fold_ring(tree), rmh(tree));
}

double between_nodes(const Placement& placement, const Flows& flows, const Mapping& mapping) {
  double sum = 0;
  for (int rank = 0; rank < flows.p(); ++rank)
    flows.for_each(rank, [&](int peer, double bytes) {
      if (placement.common_level(mapping[rank], mapping[peer]) < 0) sum += bytes;
    });
  return sum;
}

// On four nodes, with nine times the bytes in the first dimension: columns share a node, and 12
// pairs of neighbours remain between nodes in the second dimension.
TEST(Fold, KeepsHeavyDimensionsInsideNodes) {
  const Placement placement = placed("node:4 core:4");
  const Mesh job{{4, 4}, {false, false}};
  const auto weighted = [&](const Weights& weights) {
    return between_nodes(placement, flows_between_neighbours(job, weights),
                         fold(placement, job, weights));
  };
  EXPECT_EQ(weighted({}), 2 * 8);
  EXPECT_EQ(weighted({1, 1}), 2 * 8);
  EXPECT_EQ(weighted({9, 1}), 2 * 12);
  EXPECT_EQ(weighted({1, 9}), 2 * 12);
  EXPECT_EQ(weighted({0, 5}), 0);
  EXPECT_EQ(weighted({0, 0}), 0);
}

TEST(Fold, NeverHasMoreWeightedBytesBetweenNodes) {
  int fewer = 0;
  for (const char* machine : {"node:6 core:4", "node:3 socket:2 core:4", "torus:4x3 core:2"})
    for (const char* name : {"sequential", "cyclic", "random:1", "random:2"})
      for (const std::vector<int>& dims : {std::vector{24}, {4, 6}, {2, 3, 4}, {5, 4}, {3, 7}})
        for (const Weights& all : {Weights{1, 4, 1}, {100, 1, 10}, {0, 2.5, 7}, {1e12, 1e-9, 0}}) {
          const Placement placement = placed(machine, name);
          const Mesh job{dims, std::vector<bool>(dims.size(), true)};
          const Weights weights(all.begin(), all.begin() + std::ssize(dims));
          const Mapping mapping = job.cells() == placement.p() ? fold(placement, job, weights)
                                                               : fold_some(placement, job, weights);
          Mapping sorted = mapping;
          std::ranges::sort(sorted);
          EXPECT_EQ(sorted, identity(placement.p()));
          const Flows flows = flows_between_neighbours(job, weights);
          const double before = between_nodes(placement, flows, identity(placement.p()));
          const double after = between_nodes(placement, flows, mapping);
          EXPECT_LE(after, before) << machine << " " << name;
          fewer += after < before ? 1 : 0;
        }
  EXPECT_GT(fewer, 100);
}

// A stencil of 8x8 on four nodes of 16 cores: with squares of 4x4, there are 4·16 fewer flows
// between nodes than with rows.
TEST(Fold, LaysAStencilInPatches) {
  const Placement placement = placed("node:4 core:16");
  const Mesh job{{8, 8}, {false, false}};
  const Mapping mapping = fold(placement, job);
  const Flows flows = flows_between_neighbours(job);
  int between = 0;
  for (int rank = 0; rank < 64; ++rank)
    flows.for_each(rank, [&](int peer, double) {
      between += placement.common_level(mapping[rank], mapping[peer]) < 0 ? 1 : 0;
    });
  EXPECT_EQ(between, 32);
}

}  // namespace
}  // namespace toccata
