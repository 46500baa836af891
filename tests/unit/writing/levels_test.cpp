#include "writing/levels.h"

#include "choices/choice.h"
#include "choices/known_shape.h"
#include "costs/crossings.h"
#include "support.h"
#include "writing/count.h"
#include "writing/lanes.h"

namespace toccata {
namespace {

const Algorithm& by_all_levels() { return *find_algorithm(bcast, "hierarchical"); }

Shape on_machine(int p, std::string_view machine, std::string_view levels, int root = 0) {
  Shape shape = known(p, machine);
  shape.root = root;
  shape.parameters = Parameters(by_all_levels().parameters);
  const auto& words = Levels::which().words;
  shape.parameters.set(Levels::which(),
                       static_cast<int>(std::ranges::find(words, levels) - words.begin()));
  return shape;
}

// The example of levels.h.
TEST(Levels, AreLedByTheRootOrTheLowestRank) {
  const Levels levels(on_machine(4, "node:2 core:2", "node", 3));
  ASSERT_EQ(levels.number(), 2);
  EXPECT_EQ(levels.team(0, 3), (std::vector{3, 0}));
  EXPECT_EQ(levels.team(0, 0), (std::vector{3, 0}));
  EXPECT_EQ(levels.team(0, 1), std::vector<int>{});
  EXPECT_EQ(levels.team(1, 1), (std::vector{0, 1}));
  EXPECT_EQ(levels.team(1, 2), (std::vector{3, 2}));
  EXPECT_EQ(levels.represented_by(0, 3), (std::vector{2, 3}));
  EXPECT_EQ(levels.represented_by(1, 3), std::vector{3});
}

TEST(Levels, AreThoseThatWereAskedFor) {
  const std::string machine = "leaf:2 node:2 socket:2 core:2";
  EXPECT_EQ(Levels(on_machine(16, machine, "node")).number(), 2);
  EXPECT_EQ(Levels(on_machine(16, machine, "node+socket")).number(), 3);
  const Levels all(on_machine(16, machine, "all"));
  ASSERT_EQ(all.number(), 4);
  EXPECT_EQ(all.team(0, 0), (std::vector{0, 8}));
  EXPECT_EQ(all.team(1, 12), (std::vector{8, 12}));
  EXPECT_EQ(all.team(2, 12), (std::vector{12, 14}));
  EXPECT_EQ(all.team(3, 13), (std::vector{12, 13}));
}

TEST(Levels, ThatDivideNobodyAreLeftOut) {
  EXPECT_EQ(Levels(Shape{.p = 5}).number(), 1);
  EXPECT_EQ(Levels(Shape{.p = 5}).team(0, 3), (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(Levels(on_machine(4, "node:1 socket:2 core:2", "node")).number(), 2) << "the sockets";
  EXPECT_EQ(Levels(on_machine(4, "node:4 core:1", "all")).number(), 1);
}

// With p ranks on r nodes, every collective with leaders sends the minimum between nodes. A message
// for all ranks crosses r - 1 times, for any placement and any root.
TEST(Levels, LetAMessageCrossOnceForEachNode) {
  struct Expected {
    const Collective* collective;
    std::string_view request;
    int blocks;  // between nodes
  };
  for (const Expected& each : {Expected{&bcast, "hierarchical", 3},
                               {&reduce, "hierarchical", 3},
                               {&allreduce, "hierarchical", 8},
                               {&gather, "hierarchical:by=linear", 12},
                               {&scatter, "hierarchical:by=linear", 12}})
    for (const std::string_view placement : {"sequential", "cyclic", "random:3"})
      for (const int root : {0, 5}) {
        const Choice choice = parse_choice(*each.collective, each.request);
        Shape shape = known(16, "node:4 core:4", placement);
        if (each.collective->rooted) shape.root = root;
        const auto found = crossings(*choice.algorithm, choice.in(shape));
        EXPECT_EQ(found[0].total.blocks, each.blocks)
            << each.collective->name << " " << placement << " " << root;
      }
}

// Each of the four ranks of a node sends a quarter of the message.
TEST(Lanes, LetAllRanksOfANodeTalk) {
  for (const Collective* collective : {&bcast, &reduce, &allreduce}) {
    const Choice choice = parse_choice(*collective, "multi_lane");
    const Shape shape = choice.in(known(8, "node:2 core:4"));
    EXPECT_EQ(shape.parts, 4);
    const auto found = crossings(*choice.algorithm, shape);
    EXPECT_EQ(found[0].rank.blocks, 1) << collective->name;
    EXPECT_EQ(found[0].region.blocks, 4) << collective->name;
  }
}

// One segment travels inside the node while the next one arrives.
TEST(Segments, OverlapLevels) {
  const Choice one = parse_choice(bcast, "hierarchical:between=pipeline,inside=pipeline");
  const Choice ten =
      parse_choice(bcast, "hierarchical:between=pipeline,inside=pipeline,segments=10");
  const Shape shape = known(16, "node:4 core:4");
  EXPECT_EQ(count(*one.algorithm, one.in(shape)).rounds, 3 + 3);
  EXPECT_EQ(count(*ten.algorithm, ten.in(shape)).rounds, 3 + 3 + 9);
}

}  // namespace
}  // namespace toccata
