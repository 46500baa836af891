#include "topology/placements.h"

#include <set>

#include "choices/known_shape.h"
#include "support.h"
#include "topology/error.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

std::shared_ptr<const Machine> machine(std::string_view text) {
  return std::make_shared<const Machine>(parse_machine(text));
}

std::vector<int> cores(const Placement& placement) {
  std::vector<int> result;
  for (int rank = 0; rank < placement.p(); ++rank) result.push_back(placement.place(rank).object);
  return result;
}

std::string complaint(std::string_view on, int p, std::string_view name) {
  try {
    place(machine(on), p, name);
  } catch (const TopologyError& error) {
    return error.what();
  }
  return "";
}

TEST(Placements, AreThePapersFour) {
  const auto four = machine("node:4 socket:2 core:2");
  EXPECT_EQ(cores(place(four, 8, "block-bunch")), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cores(place(four, 8, "block-scatter")), (std::vector{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(cores(place(four, 8, "cyclic-bunch")), (std::vector{0, 4, 8, 12, 1, 5, 9, 13}));
  EXPECT_EQ(cores(place(four, 8, "cyclic-scatter")), (std::vector{0, 4, 8, 12, 2, 6, 10, 14}));
  EXPECT_EQ(cores(place(four, 16, "sequential")), cores(place(four, 16, "block-bunch")));
  EXPECT_EQ(cores(place(four, 16, "cyclic")), cores(place(four, 16, "cyclic-bunch")));
}

TEST(Placements, PassOverNodesThatAreFull) {
  EXPECT_EQ(cores(place(machine("node:3 core:1,3,2"), 6, "cyclic")),
            (std::vector{0, 1, 4, 2, 5, 3}));
}

TEST(Placements, TakeTheCellsOfATorusForNodes) {
  EXPECT_EQ(cores(place(machine("torus:2x2 core:2"), 8, "cyclic")),
            (std::vector{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Placements, HaveAPlaceOfItsOwnForEveryRankOnAnyMachine) {
  for (const char* on : {"core:4096", "node:1 core:4096", "leaf:8 node:16 socket:2 core:16",
                         "node:512 core:16*100,3*100,31*312", "torus:16x16 core:16",
                         "group:3 node:4,2,3 numa:2 core:300"}) {
    std::vector<std::string_view> names = placement_names();
    names.push_back("random:5");
    for (const int p : {1, 2, 7, 1000, 4096})
      for (const std::string_view name : names) {
        const std::vector<int> used = cores(place(machine(on), p, name));
        EXPECT_EQ(std::set(used.begin(), used.end()).size(), p) << on << ", " << name;
      }
  }
}

TEST(Placements, AtRandomAreTheSameInEveryRun) {
  const auto eight = machine("core:8");
  EXPECT_EQ(cores(place(eight, 8, "random:1")), (std::vector{7, 2, 1, 4, 6, 0, 3, 5}));
  EXPECT_NE(cores(place(eight, 8, "random:2")), cores(place(eight, 8, "random:1")));
}

TEST(Placements, MayBeListed) {
  const auto two = machine("node:2 core:4");
  EXPECT_EQ(cores(place(two, 5, "7,0-2,5")), (std::vector{7, 0, 1, 2, 5}));
  const Placement mixed = place(two, 4, "node:0,0,1 core:7");
  EXPECT_EQ(mixed.place(1), (Place{0, 0}));
  EXPECT_EQ(mixed.place(3), (Place{1, 7}));
  EXPECT_EQ(text(mixed), "node:0,0-1 core:7");
  EXPECT_EQ(text(place(two, 5, "7,0-2,5")), "core:7,0-2,5");
  EXPECT_EQ(text(place(two, 8, "cyclic")), "core:0,4,1,5,2,6,3,7");
  EXPECT_EQ(text(place(two, 8, "sequential")), "core:0-7");
}

TEST(Placements, AreRefusedInOneLine) {
  EXPECT_EQ(complaint("node:2 core:2", 5, "cyclic"),
            "placement 'cyclic' has 4 places on node:2 core:2, but there are 5 ranks");
  EXPECT_EQ(complaint("node:2 core:2", 3, "0,1"),
            "placement '0,1' has 2 places on node:2 core:2, but there are 3 ranks");
  EXPECT_NE(complaint("core:2", 1, "sideways").find("expected one of block-bunch"),
            std::string::npos);
  EXPECT_NE(complaint("core:2", 1, "").find("has 0 places"), std::string::npos);
  EXPECT_NE(complaint("core:2", 1, "0,9").find("numbered 0..1"), std::string::npos);
  EXPECT_NE(complaint("core:2", 1, "1-0").find("in descending order"), std::string::npos);
  EXPECT_NE(complaint("core:2", 1, "node:0").find("that the machine does not have"),
            std::string::npos);
  EXPECT_NE(complaint("core:2", 1, "random").find("as random:1"), std::string::npos);
}

TEST(Placements, GiveAGridWhereEveryCellHasAsManyRanks) {
  const Shape one_each = known(16, "torus:4x4");
  ASSERT_NE(one_each.grid, nullptr);
  EXPECT_EQ(one_each.grid->mesh.dims, (std::vector{4, 4}));
  EXPECT_TRUE(one_each.grid->ranks.empty());

  const Shape two_each = known(32, "mesh:4x4 core:2", "cyclic");
  EXPECT_EQ(two_each.grid->mesh.dims, (std::vector{4, 4, 2}));
  EXPECT_EQ(two_each.grid->mesh.periodic, (std::vector{false, false, false}));
  EXPECT_EQ(two_each.grid->rank_at(3), 17) << "the second rank in cell 1";
  for (int cell = 0; cell < 32; ++cell) {
    const Place& place = two_each.placement->place(two_each.grid->rank_at(cell));
    EXPECT_EQ(place.object / 2, cell / 2);
  }

  EXPECT_EQ(known(17, "torus:4x4 core:2", "cyclic").grid, nullptr);
  EXPECT_EQ(known(16, "torus:4x4 core:2", "sequential").grid, nullptr);
  EXPECT_EQ(known(16, "node:16").grid, nullptr);
}

TEST(Placements, NamesThatNobodyKnows) {
  const auto unknown = [](const char* text) { return unknown_levels(parse_machine(text)); };
  EXPECT_EQ(unknown("foo:3 node:2 cores:4"), (std::vector<std::string>{"foo", "cores"}));
  EXPECT_TRUE(unknown("switch3:2 leaf:2 node:2 socket:2 core:4").empty());
  EXPECT_TRUE(unknown("torus:4x4 core:2").empty());
  EXPECT_TRUE(unknown("block12:1 block6:2 block:2 node:3").empty()) << "blocks of Slurm";
  EXPECT_EQ(unknown("blocks:2 switchboard:2"), (std::vector<std::string>{"blocks", "switchboard"}));
}

}  // namespace
}  // namespace toccata
