#include "collectives/neighborhood.h"

#include <gtest/gtest.h>

#include "topology/mesh.h"

namespace toccata {
namespace {

// The source of a received block: the sending peer, and the block's number there.
std::pair<int, int> came(const Neighborhood& all, int rank, int block) {
  const Neighbors::Edge* const edge = all.into(rank, block);
  return edge == nullptr ? std::pair(-1, -1) : std::pair(edge->peer, edge->there);
}

using Block = std::pair<int, int>;

Neighborhood on_mesh(const Mesh& mesh) {
  std::vector<Neighbors> all;
  for (int cell = 0; cell < mesh.cells(); ++cell)
    all.push_back(Neighbors::on_mesh(mesh.neighbors(cell)));
  return Neighborhood(std::move(all));
}

TEST(Neighborhood, OfAMeshGoesDownAndUp) {
  const Mesh mesh{{3, 2}, {false, true}};
  EXPECT_EQ(mesh.neighbors(0), (std::vector{-1, 2, 1, 1}));
  EXPECT_EQ(mesh.neighbors(3), (std::vector{1, 5, 2, 2}));
  const Neighborhood all = on_mesh(mesh);
  EXPECT_TRUE(all.matches());
  EXPECT_EQ(all.of(0).blocks_in, 4) << "including the block without a sender";
  EXPECT_EQ(all.of(0).in.size(), 3U);
  EXPECT_EQ(came(all, 0, 0), Block(-1, -1));
  EXPECT_EQ(came(all, 0, 1), Block(2, 0)) << "the upper neighbour sent it down";
  EXPECT_EQ(came(all, 0, 2), Block(1, 3)) << "on a ring of two as well";
  EXPECT_EQ(came(all, 0, 3), Block(1, 2));
}

TEST(Neighborhood, OfARingOfOneIsItsOwnTwice) {
  const Neighborhood all = on_mesh({{1}, {true}});
  EXPECT_EQ(came(all, 0, 0), Block(0, 1));
  EXPECT_EQ(came(all, 0, 1), Block(0, 0));
}

TEST(Neighborhood, FindsRepeatedEdges) {
  EXPECT_FALSE(Neighbors::on_mesh(Mesh{{3, 3}, {true, true}}.neighbors(4)).repeat());
  EXPECT_FALSE(Neighbors::on_mesh(Mesh{{2, 3}, {false, true}}.neighbors(0)).repeat());
  EXPECT_TRUE(Neighbors::on_mesh(Mesh{{2, 3}, {true, true}}.neighbors(0)).repeat());
  EXPECT_TRUE(Neighbors::on_mesh(Mesh{{1, 3}, {true, true}}.neighbors(0)).repeat());
  EXPECT_TRUE(Neighbors::in_graph(std::vector{1, 2, 1}, std::vector{0}).repeat());
  EXPECT_TRUE(Neighbors::in_graph({}, std::vector{1, 2, 1}).repeat());
  EXPECT_FALSE(Neighbors::in_graph(std::vector{1, 2}, std::vector{2, 1}).repeat());
}

// Edges 0 > 1 twice, 1 > 1, 0 > 2, 2 > 1; rank 1 lists its sources in another order.
TEST(Neighborhood, OfAGraphMatchesEdgesInTheirOrder) {
  const Neighborhood all({Neighbors::in_graph({}, std::vector{1, 2, 1}),
                          Neighbors::in_graph(std::vector{2, 0, 1, 0}, std::vector{1}),
                          Neighbors::in_graph(std::vector{0}, std::vector{1})});
  EXPECT_TRUE(all.matches());
  EXPECT_EQ(came(all, 1, 0), Block(2, 0));
  EXPECT_EQ(came(all, 1, 1), Block(0, 0));
  EXPECT_EQ(came(all, 1, 2), Block(1, 0));
  EXPECT_EQ(came(all, 1, 3), Block(0, 2));
  EXPECT_EQ(came(all, 2, 0), Block(0, 1));
  EXPECT_EQ(came(all, 2, 1), Block(-1, -1)) << "there is no such block";
  EXPECT_EQ(all.blocks_out(), 5);
  EXPECT_EQ(all.first_out(2), 4);
}

TEST(Neighborhood, SaysWhereEdgesHaveNoOtherEnd) {
  EXPECT_FALSE(Neighborhood({Neighbors::in_graph({}, std::vector{1}), Neighbors{}}).matches());
  EXPECT_FALSE(Neighborhood({Neighbors::in_graph(std::vector{1}, {}),
                             Neighbors::in_graph({}, std::vector{1})})
                   .matches());
}

TEST(Neighborhood, OfOneRankKnowsItsEdgesToItself) {
  const Neighborhood own(3, Neighbors::in_graph(std::vector{5, 3, 3}, std::vector{3, 4, 3}));
  EXPECT_EQ(own.of(3).in[1].there, 0);
  EXPECT_EQ(own.of(3).in[2].there, 2);
  EXPECT_EQ(own.of(3).in[0].there, -1);
}

TEST(Neighborhood, OfAStencilIsATorus) {
  const Neighborhood all = Neighborhood::stencil(6);  // a ring of 3 rings of 2
  EXPECT_TRUE(all.matches());
  EXPECT_EQ(came(all, 0, 0), Block(4, 1));
  EXPECT_EQ(came(all, 0, 1), Block(2, 0));
  EXPECT_EQ(came(all, 0, 2), Block(1, 3));
  EXPECT_EQ(came(all, 0, 3), Block(1, 2));
}

}  // namespace
}  // namespace toccata
