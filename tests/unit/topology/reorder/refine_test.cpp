#include "topology/reorder/refine.h"

#include <gtest/gtest.h>
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

// Every rank has its own core, and no hop-bytes are added, also if the traffic has no pattern.
TEST(Refine, KeepsEveryRankAndAddsNoHopBytes) {
  for (const std::string_view machine : {"node:4 socket:2 core:3", "leaf:3 node:2,3,1 core:2",
                                         "torus:4x3 core:2", "mesh:5", "node:7", "node:1 core:1"})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Placement placement = placed(machine, "random:" + std::to_string(seed));
      const int p = placement.p();
      std::mt19937 random(seed);
      Flows flows;
      for (int rank = 0; rank < p; ++rank) {
        std::vector<std::pair<int, double>> row;
        for (int peer = 0; peer < p; ++peer)
          if (peer != rank && random() % 4 == 0) row.emplace_back(peer, random() % 1000);
        flows.add_row(std::move(row));
      }
      const Mapping mapping = refine(placement, flows, identity(p), 1);
      Mapping sorted = mapping;
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, identity(p)) << machine;
      EXPECT_LE(hop_bytes(placement, flows, mapping), hop_bytes(placement, flows, identity(p)))
          << machine;
    }
}

// Two nodes of 8 ranks each: a torus of 4 x 4 has 16 edges between its halves, in both directions.
TEST(Refine, FindsTheHalvesOfATorus) {
  const Flows flows = flows_between_neighbours({{4, 4}, {true, true}});
  const Placement placement = placed("node:2 core:8", "random:1");
  const Mapping mapping = refine(placement, flows, identity(16), 5);
  EXPECT_EQ(hop_bytes(placement, flows, mapping), 64 + 16);
}

TEST(Refine, EndsInTime) {
  const Flows flows = flows_between_neighbours({{16, 16, 16}, {true, true, true}});
  const Placement placement = placed("node:64 core:64", "random:1");
  EXPECT_LT(test::processor_seconds([&] { refine(placement, flows, identity(4096), 0.2); }), 2);
}

}  // namespace
}  // namespace toccata
