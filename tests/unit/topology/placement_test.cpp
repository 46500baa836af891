#include "topology/placement.h"

#include <array>

#include "support.h"

namespace toccata {
namespace {

std::vector<int> members(const Regions& regions, int region) {
  const auto ranks = regions.members(region);
  return {ranks.begin(), ranks.end()};
}

TEST(Regions, AreOrderedByTheirLowestRank) {
  const Regions regions(std::array{7, 3, 7, 3, 3, 7});
  EXPECT_EQ(regions.number(), 2);
  EXPECT_EQ(members(regions, 0), (std::vector{0, 2, 5}));
  EXPECT_EQ(members(regions, 1), (std::vector{1, 3, 4}));
  EXPECT_EQ(regions.of(2), 0);
  EXPECT_EQ(regions.local(2), 1);
  EXPECT_TRUE(regions.even());
  EXPECT_FALSE(regions.consecutive());
  EXPECT_TRUE(regions.divide());
}

TEST(Regions, KnowWhetherTheyAreRanksInARow) {
  const Regions regions(std::array{5, 5, 0, 9, 9, 9});
  EXPECT_TRUE(regions.consecutive());
  EXPECT_EQ(regions.largest(), 3);
  EXPECT_EQ(regions.smallest(), 1);
  EXPECT_FALSE(Regions(std::array{0, 0, 0}).divide());
  EXPECT_FALSE(Regions(std::array{0, 1, 2}).divide());
}

// node 0: socket 0 (cores 0 1), socket 1 (core 2); node 1: socket 2 (cores 3 4)
std::shared_ptr<const Machine> two_nodes() {
  return std::make_shared<const Machine>(
      Machine({{"node", {0, 0}}, {"socket", {0, 0, 1}}, {"core", {0, 0, 1, 2, 2}}}));
}

TEST(Placement, DividesTheRanksAtEveryLevel) {
  const Placement placement(two_nodes(), {{2, 3}, {2, 0}, {2, 2}, {2, 1}, {2, 4}});
  EXPECT_EQ(members(placement.regions(0), 0), (std::vector{0, 4}));
  EXPECT_EQ(members(placement.regions(0), 1), (std::vector{1, 2, 3}));
  EXPECT_EQ(members(placement.regions(1), 1), (std::vector{1, 3}));
  EXPECT_EQ(placement.common_level(0, 4), 1);
  EXPECT_EQ(placement.common_level(1, 2), 0);
  EXPECT_EQ(placement.common_level(0, 1), -1);
}

TEST(Placement, TakesAnUnboundRankForAnywhereOnItsNode) {
  const Placement placement(two_nodes(), {{0, 0}, {2, 0}, {0, 0}, {2, 1}});
  EXPECT_EQ(placement.regions(0).number(), 1);
  EXPECT_EQ(members(placement.regions(1), 0), (std::vector{0, 2})) << "in no socket";
  EXPECT_EQ(members(placement.regions(1), 1), (std::vector{1, 3}));
  EXPECT_EQ(placement.common_level(0, 1), 0);
}

TEST(Placement, OfSomeRanksIsTheirs) {
  const Placement all(two_nodes(), {{2, 3}, {2, 0}, {2, 2}, {2, 1}, {2, 4}});
  const Placement some = all.among(std::array{4, 2});
  EXPECT_EQ(some.p(), 2);
  EXPECT_EQ(some.place(0), (Place{2, 4}));
  EXPECT_EQ(some.common_level(0, 1), -1);
}

TEST(Mesh, CountsTheLinksOfAShortestWay) {
  const Mesh torus{{4, 5}, {true, true}};
  const Mesh mesh{{4, 5}, {false, false}};
  EXPECT_EQ(torus.cells(), 20);
  EXPECT_EQ(mesh.coordinates(13), (std::vector{2, 3}));
  EXPECT_EQ(mesh.cell({2, 3}), 13);
  EXPECT_EQ(torus.hops(0, 19), 2);
  EXPECT_EQ(mesh.hops(0, 19), 7);
}

TEST(Samples, HaveARankInEveryCellAndAPlaceForEveryRank) {
  for (const int p : {1, 2, 3, 7, 12, 30, 64, 128}) {
    for (const auto& each : sample_placements(p)) {
      if (each != nullptr) {
        EXPECT_EQ(each->p(), p);
      }
    }
    for (const auto& each : sample_grids(p)) {
      if (each != nullptr) {
        EXPECT_EQ(each->mesh.cells(), p);
      }
    }
  }
}

}  // namespace
}  // namespace toccata
