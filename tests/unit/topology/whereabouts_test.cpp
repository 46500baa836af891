#include "topology/whereabouts.h"

#include <chrono>

#include "support.h"
#include "topology/hwloc.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

// The reported locations of the ranks of a given placement, on nodes with arbitrary numbers.
std::vector<Whereabouts> told(const Placement& known) {
  const Machine& machine = known.machine();
  const int node_level = machine.find("node");
  std::vector<Whereabouts> result(known.p());
  for (int rank = 0; rank < known.p(); ++rank) {
    const Place& place = known.place(rank);
    result[rank].node = 1000 - machine.ancestor(place.level, place.object, node_level);
    for (std::size_t i = 0; i < Whereabouts::levels.size(); ++i) {
      const int level = machine.find(Whereabouts::levels[i]);
      if (level >= 0) result[rank].has |= 1u << i;
      if (level > place.level)
        result[rank].objects[i] = -1;
      else
        result[rank].objects[i] =
            level < 0 ? 0 : machine.ancestor(place.level, place.object, level);
    }
    for (std::size_t i = 1; i < Whereabouts::levels.size(); ++i)
      if (result[rank].objects[i - 1] < 0) result[rank].objects[i] = -1;
  }
  return result;
}

void expect_alike(const Regions& one, const Regions& other) {
  ASSERT_EQ(one.number(), other.number());
  for (int rank = 0; rank < one.ranks(); ++rank) ASSERT_EQ(one.of(rank), other.of(rank)) << rank;
}

TEST(Whereabouts, SayWhatARankIsBoundTo) {
  const Machine node = NodeTopology::from_synthetic("pack:2 l3:2 core:2 pu:1").machine();
  Whereabouts each;
  each.settle(node, Place{2, 5});
  EXPECT_EQ(each.objects, (std::array{1, 0, 2, 5})) << "without numa levels, there is one object";
  EXPECT_EQ(each.has, 0b1101u);
  each.settle(node, Place{0, 1});
  EXPECT_EQ(each.objects, (std::array{1, 0, -1, -1}));
  each.settle(node, {});
  EXPECT_EQ(each.objects, (std::array{-1, -1, -1, -1}));
}

TEST(Whereabouts, GiveBackThePlacementTheyCameFrom) {
  for (const char* on : {"node:1 core:4096", "node:64 socket:2 core:32", "node:512 core:16",
                         "node:3 socket:2 numa:2 l3:2 core:3", "node:4096 core:1",
                         "node:100 socket:2 core:3*50,21*150"}) {
    const auto machine = std::make_shared<const Machine>(parse_machine(on));
    for (const char* how : {"block-bunch", "cyclic-scatter", "random:1"})
      for (const int p : {1, 2, 7, 64, 72, 1000, 4096}) {
        if (p > machine->objects(machine->innermost())) continue;
        const Placement known = place(machine, p, how);
        const Placement found = placement_of(told(known));
        for (int level = 0; level < machine->levels(); ++level) {
          const int there = found.machine().find(machine->name(level));
          ASSERT_GE(there, 0);
          expect_alike(found.regions(there), known.regions(level));
        }
      }
  }
}

TEST(Whereabouts, OfUnboundRanksAreTheirNodes) {
  std::vector<Whereabouts> ranks(4);
  ranks[0].node = ranks[2].node = 7;
  EXPECT_EQ(text(placement_of(ranks)), "node:0-1,0-1");
  EXPECT_EQ(text(placement_of(ranks).machine()), "node:2");

  const Machine node = parse_machine("socket:2 core:2");
  ranks[0].settle(node, Place{1, 3});
  ranks[1].settle(node, Place{0, 0});
  ranks[3].settle(node, {});
  const Placement mixed = placement_of(ranks);
  EXPECT_EQ(text(mixed), "core:0 socket:1 node:0-1");
  EXPECT_EQ(mixed.regions(0).number(), 2);
}

TEST(Whereabouts, GoInsideANetworkWhoseHostsTheyKnow) {
  const Machine network = parse_machine("leaf:2 node:3");
  std::vector<Whereabouts> ranks(3);
  const int hosts[] = {4, 0, 4};
  for (int rank = 0; rank < 3; ++rank) {
    ranks[rank].host = hosts[rank];
    ranks[rank].settle(parse_machine("core:2"), Place{0, rank == 2 ? 1 : 0});
  }
  const Placement found = placement_of(ranks, &network);
  EXPECT_EQ(found.machine().objects(1), 6);
  EXPECT_EQ(found.machine().ancestor(2, found.place(0).object, 1), 4);
  EXPECT_EQ(found.common_level(0, 2), 1);
  EXPECT_EQ(found.common_level(0, 1), -1);
}

// The test prints the time, but does not check it. The goal is 50 ms for 4096 ranks.
TEST(Whereabouts, OfManyRanksArePlacedQuickly) {
  for (const int nodes : {64, 1024}) {
    const auto machine = std::make_shared<const Machine>(
        parse_machine("node:" + std::to_string(nodes) + " socket:2 numa:4 core:8"));
    const int p = nodes * 64;
    const std::vector<Whereabouts> ranks = told(place(machine, p, "random:1"));
    const auto started = std::chrono::steady_clock::now();
    const Placement found = placement_of(ranks);
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - started;
    EXPECT_EQ(found.regions(0).number(), nodes);
    std::printf("%d ranks placed in %.1f ms\n", p, took.count());
  }
}

}  // namespace
}  // namespace toccata
