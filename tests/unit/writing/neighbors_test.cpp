// Properties of message combining: see writing/neighbors.h.
#include <map>
#include <set>

#include "collectives/neighborhood.h"
#include "support.h"
#include "topology/division.h"

namespace toccata {
namespace {

// The messages from one node to another, and the blocks in them.
struct Crossing {
  int messages = 0;
  std::int64_t blocks = 0;
};

std::map<std::pair<int, int>, Crossing> crossings(const Algorithm& algorithm, const Shape& shape) {
  const auto nodes = node_regions(shape.placement, shape.p);
  std::map<std::pair<int, int>, Crossing> result;
  for (int rank = 0; rank < shape.p; ++rank) {
    const Schedule schedule = algorithm.schedule(shape, rank);
    for (int round = 0; round < schedule.rounds(); ++round)
      for (const Message& each : schedule.sends(round)) {
        if (nodes->of(rank) == nodes->of(each.peer)) continue;
        Crossing& crossing = result[{nodes->of(rank), nodes->of(each.peer)}];
        ++crossing.messages;
        crossing.blocks += blocks(schedule.ranges(each));
      }
  }
  return result;
}

TEST(Combining, SendsOneMessageBetweenTwoNodesAndEveryBlockOnce) {
  for (const Collective* collective : {&neighbor_allgather, &neighbor_alltoall}) {
    const Algorithm& combining = *find_algorithm(*collective, "combining");
    for (const int p : {4, 9, 12, 24, 50})
      for (const Shape& shape : sample_shapes(combining, p)) {
        const auto nodes = node_regions(shape.placement, p);
        std::map<std::pair<int, int>, std::set<std::pair<int, int>>> wanted;
        for (int rank = 0; rank < p; ++rank)
          for (const Neighbors::Edge& each : shape.neighborhood->of(rank).out)
            if (nodes->of(rank) != nodes->of(each.peer))
              wanted[{nodes->of(rank), nodes->of(each.peer)}].emplace(
                  rank, collective == &neighbor_allgather ? 0 : each.block);
        const auto found = crossings(combining, shape);
        ASSERT_EQ(found.size(), wanted.size()) << test::describe(combining, shape);
        for (const auto& [between, blocks] : wanted) {
          EXPECT_EQ(found.at(between).messages, 1) << test::describe(combining, shape);
          EXPECT_EQ(found.at(between).blocks, std::ssize(blocks));
        }
      }
  }
}

// On one node, or on unknown nodes, there is one round with a message to each neighbour.
TEST(Combining, IsDirectWhereNothingDivides) {
  for (const Collective* collective : {&neighbor_allgather, &neighbor_alltoall}) {
    const Algorithm& combining = *find_algorithm(*collective, "combining");
    const Shape shape = combining.complete({.p = 12});
    for (int rank = 0; rank < 12; ++rank) {
      const Schedule schedule = combining.schedule(shape, rank);
      ASSERT_EQ(schedule.rounds(), 2) << "the first is empty";
      EXPECT_TRUE(schedule.sends(0).empty());
      EXPECT_EQ(schedule.sends(1).size(), 4U);
    }
  }
}

// Message combining requires that both ends of an edge name each other.
TEST(Combining, NeedsBothEndsOfEveryEdge) {
  const Algorithm& combining = *find_algorithm(neighbor_allgather, "combining");
  Shape shape{.p = 2};
  shape.neighborhood = std::make_shared<const Neighborhood>(
      std::vector{Neighbors::in_graph({}, std::vector{1}), Neighbors{}});
  EXPECT_EQ(combining.why_impossible(shape), "needs matching edges at both ends");
}

}  // namespace
}  // namespace toccata
