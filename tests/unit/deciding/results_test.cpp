#include "deciding/results.h"

#include "collectives/neighborhood.h"
#include "support.h"

namespace toccata {
namespace {

TEST(Results, HaveADigestOfTheNeighbors) {
  const auto edge_to = [](int peer) {
    return digest_of(Neighborhood(0, Neighbors::in_graph({}, std::vector{peer})));
  };
  EXPECT_EQ(edge_to(1), edge_to(1));
  EXPECT_NE(edge_to(1), edge_to(2));
  EXPECT_NE(digest_of(Neighborhood(0, Neighbors::in_graph(std::vector{1}, {}))), edge_to(1));
}

// Otherwise communicators of any shape would share them.
TEST(Results, KeepNothingForAnUnknownShape) {
  Results results;
  const Choice winner{.algorithm = find_algorithm(allgather, "ring")};
  results.keep({.shape = 0, .collective = &allgather, .bytes = 8}, winner);
  EXPECT_FALSE(results.winner({.shape = 0, .collective = &allgather, .bytes = 8}));
  results.keep({.shape = 1, .collective = &allgather, .bytes = 8}, winner);
  EXPECT_EQ(results.winner({.shape = 1, .collective = &allgather, .bytes = 8}), winner);
}

}  // namespace
}  // namespace toccata
