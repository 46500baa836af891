#include "topology/reorder/least.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "../../support.h"
#include "topology/placements.h"
#include "topology/reorder/fold.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

Placement placed(std::string_view machine, std::string_view name) {
  const auto parsed = std::make_shared<const Machine>(parse_machine(machine));
  return place(parsed, parsed->objects(parsed->innermost()), name);
}

// The mapping with the fewest hop-bytes, among all of them.
TEST(LeastHopBytes, NoMappingHasFewer) {
  for (const std::string_view machine :
       {"node:3 core:2", "node:2 socket:2 core:1", "leaf:2 node:2,1 core:2", "torus:3x2", "mesh:6"})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Placement placement = placed(machine, "random:" + std::to_string(seed));
      const int p = placement.p();
      std::mt19937 random(seed);
      Flows flows;
      for (int rank = 0; rank < p; ++rank) {
        std::vector<std::pair<int, double>> row;
        for (int peer = 0; peer < p; ++peer)
          if (peer != rank && random() % 2 == 0) row.emplace_back(peer, random() % 100);
        flows.add_row(std::move(row));
      }
      double best = std::numeric_limits<double>::max();
      Mapping mapping = identity(p);
      do {
        best = std::min(best, hop_bytes(placement, flows, mapping));
      } while (std::ranges::next_permutation(mapping).found);
      const double least = least_hop_bytes(placement, flows);
      EXPECT_LE(least, best * (1 + 1e-12)) << machine;
      EXPECT_GE(least, best / 2) << machine;
    }
}

// Both are known by construction: a torus on the same torus has one link per neighbour.
TEST(LeastHopBytes, IsTheOptimumOfATorusOnItself) {
  for (const std::vector<int>& dims :
       {std::vector{3, 3}, {6, 6}, {8, 8}, {4, 4, 4}, {5, 7}, {64}}) {
    std::string machine = "torus:";
    for (const int each : dims)
      machine += (machine.back() == ':' ? "" : "x") + std::to_string(each);
    const Placement placement = placed(machine, "sequential");
    const Flows flows = flows_between_neighbours({dims, std::vector<bool>(dims.size(), true)});
    const double least = least_hop_bytes(placement, flows);
    EXPECT_EQ(hop_bytes(placement, flows, identity(placement.p())), least) << machine;
    EXPECT_EQ(least_hop_bytes(placed(machine, "random:1"), flows), least) << machine;
  }
}

TEST(LeastHopBytes, OfUniformTrafficIsThatOfEveryMapping) {
  const Placement placement = placed("node:2 socket:2 core:2", "sequential");
  Flows flows;
  for (int rank = 0; rank < 8; ++rank) {
    std::vector<std::pair<int, double>> row;
    for (int peer = 0; peer < 8; ++peer)
      if (peer != rank) row.emplace_back(peer, 3);
    flows.add_row(std::move(row));
  }
  EXPECT_EQ(least_hop_bytes(placement, flows), hop_bytes(placement, flows, identity(8)));
}

}  // namespace
}  // namespace toccata
