#include "costs/crossings.h"

#include "support.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

using Count = Crossing::Count;

Shape on_machine(std::string_view machine, int p, std::string_view placement = "sequential") {
  Shape shape{.p = p};
  shape.placement = std::make_shared<const Placement>(
      place(std::make_shared<const Machine>(parse_machine(machine)), p, placement));
  return shape;
}

std::vector<Crossing> of(std::string_view name, const Shape& shape,
                         std::span<const std::int64_t> bytes = {}) {
  const Algorithm& algorithm = *find_algorithm(allgather, name);
  return crossings(algorithm, algorithm.complete(shape), bytes);
}

// [bienz2022, example 2.1]: 16 ranks in 4 regions, 4 bytes per rank.
TEST(Crossings, AreThoseOfThePapersExample) {
  const Shape shape = on_machine("node:4 core:4", 16);
  const std::vector<std::int64_t> bytes(16, 4);

  const Crossing bruck = of("bruck", shape, bytes)[0];
  EXPECT_EQ(bruck.level, "node");
  EXPECT_EQ(bruck.rank, (Count{4, 15, 60})) << "rank 0 sends only to other regions";
  // Per region: the 1 and 2 ranks at its border send 1 and 2 blocks; then all 4 ranks send 4 and 8
  // blocks.
  EXPECT_EQ(bruck.region, (Count{1 + 2 + 4 + 4, 1 + 4 + 16 + 32, 4 * 53}));

  const Crossing local = of("locality_bruck", shape, bytes)[0];
  EXPECT_EQ(local.rank, (Count{1, 4, 16}));
  EXPECT_EQ(local.region, (Count{3, 12, 48}));
  EXPECT_EQ(local.total, (Count{12, 48, 192}));
  EXPECT_EQ(local.regions, (std::vector<Count>(4, local.region)));
}

TEST(Crossings, AreThoseOfThePapersLargerExample) {
  const Shape shape = on_machine("node:16 core:4", 64);
  EXPECT_EQ(of("bruck", shape)[0].rank, (Count{6, 63, 63}));
  EXPECT_EQ(of("locality_bruck", shape)[0].rank.messages, 2);
}

TEST(Crossings, AreTheSameWhereverRanksAre) {
  for (const char* placement : {"sequential", "cyclic", "random:1", "random:2"}) {
    const Shape shape = on_machine("node:16 core:4", 64, placement);
    EXPECT_EQ(of("locality_bruck", shape)[0].rank.messages, 2) << placement;
    EXPECT_EQ(of("multi_lane", shape)[0].rank, (Count{4, 15, 15})) << placement;
    EXPECT_EQ(of("hierarchical", shape)[0].rank, (Count{4, 60, 60})) << placement;
    EXPECT_EQ(of("hierarchical", shape)[0].total, (Count{16 * 4, 16 * 60, 16 * 60})) << placement;
  }
}

TEST(Crossings, OfALevelAreCrossingsOfThoseFurtherIn) {
  const auto found = of("ring", on_machine("node:2 socket:2 core:2", 8));
  ASSERT_EQ(found.size(), 3U);
  // A rank forwards 7 blocks; 1 of 4 borders between cores is a border between nodes.
  EXPECT_EQ(found[0].total, (Count{14, 14, 14}));
  EXPECT_EQ(found[1].total, (Count{28, 28, 28}));
  EXPECT_EQ(found[2].total, (Count{56, 56, 56}));
  EXPECT_EQ(found[0].region, (Count{7, 7, 7}));
}

TEST(Crossings, AreNoneWithoutAPlacement) { EXPECT_TRUE(of("ring", {.p = 4}).empty()); }

}  // namespace
}  // namespace toccata
