#include "patterns/torus.h"

#include "support.h"

namespace toccata {
namespace {

TEST(CellBox, NamesItsBlocksInTheOrderOfItsCells) {
  const Grid grid{{{3, 4}, {true, true}}};
  const CellBox corner{{2, 3}, {2, 2}};  // wraps around in both dimensions
  EXPECT_EQ(test::expand(blocks_of(grid, corner, Buffer::recv)), (std::vector{11, 8, 3, 0}));
  EXPECT_EQ(test::expand(blocks_of(grid, corner, Buffer::recv, 2, 1)), (std::vector{23, 17, 7, 1}));
  const Grid mixed{grid.mesh, {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};
  EXPECT_EQ(test::expand(blocks_of(mixed, corner, Buffer::recv)), (std::vector{0, 3, 8, 11}));
  EXPECT_EQ(blocks_of(grid, {{0, 0}, {3, 4}}, Buffer::recv), (BlockRanges{recv(0, 12)}));
  EXPECT_EQ(blocks_of(grid, {{-1, 0}, {1, 4}}, Buffer::recv, 2, 1),
            (BlockRanges{{Buffer::recv, 17, 1, 2, 4}}));
}

TEST(Toward, GoesRound) {
  const Mesh mesh{{3, 4}, {true, true}};
  EXPECT_EQ(toward(mesh, 0, 0, +1), 4);
  EXPECT_EQ(toward(mesh, 0, 0, -1), 8);
  EXPECT_EQ(toward(mesh, 7, 1, +1), 4);
  EXPECT_EQ(toward(mesh, 7, 1, -5), 6);
}

// A cell sends the same blocks in a round as its next cell receives, in the same order.
TEST(RingRounds, PassOnWhatCame) {
  const Grid grid{{{3, 2, 4}, {true, true, true}}};
  const auto cells = [&](const CellBox& box) {
    return test::expand(blocks_of(grid, box, Buffer::recv));
  };
  for (const int direction : {+1, -1}) {
    std::vector<std::vector<RingRound>> all;
    for (int cell = 0; cell < 24; ++cell)
      all.push_back(ring_rounds(grid.mesh, cell, {2, 0, 1}, direction));
    for (int cell = 0; cell < 24; ++cell) {
      ASSERT_EQ(all[cell].size(), 3U + 2 + 1);
      std::vector<int> held{cell};
      for (std::size_t i = 0; i < all[cell].size(); ++i) {
        const RingRound& round = all[cell][i];
        EXPECT_EQ(grid.mesh.hops(cell, round.to), 1);
        EXPECT_EQ(cells(round.sent), cells(all[round.to][i].received));
        for (const int each : cells(round.sent)) EXPECT_TRUE(std::ranges::count(held, each));
        for (const int each : cells(round.received)) held.push_back(each);
      }
      std::ranges::sort(held);
      std::vector<int> everything(24);
      std::iota(everything.begin(), everything.end(), 0);
      EXPECT_EQ(held, everything);
    }
  }
}

// Figure 7: cells 1 and 4 both have the data of cell 0, and cell 5 receives them from cell 4.
TEST(BucketRounds, ResolveTheConflictAsThePaperDoes) {
  const Mesh mesh{{4, 4}, {true, true}};
  const auto sends = [&](int cell, std::size_t round, int to) {
    const auto rounds = bucket_rounds(mesh, cell, {0, 1});
    for (const BucketMessage& each : rounds[round])
      if (each.to == to) return each.sent;
    return std::vector<int>{};
  };
  EXPECT_EQ(sends(0, 0, 1), (std::vector{0}));
  EXPECT_EQ(sends(0, 0, 4), (std::vector{0}));
  EXPECT_TRUE(std::ranges::count(sends(4, 1, 5), 0));
  EXPECT_FALSE(std::ranges::count(sends(1, 1, 5), 0));
  EXPECT_TRUE(std::ranges::count(sends(1, 1, 2), 0));
}

TEST(BucketRounds, BringEverythingOnce) {
  for (const std::vector<int>& dims : {std::vector{5}, {3, 4}, {4, 2, 3}, {2, 2, 2}}) {
    const Mesh mesh{dims, std::vector<bool>(dims.size(), true)};
    std::vector<int> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<std::vector<BucketMessage>>> all;
    for (int cell = 0; cell < mesh.cells(); ++cell) all.push_back(bucket_rounds(mesh, cell, order));
    for (int cell = 0; cell < mesh.cells(); ++cell) {
      std::vector<int> held{cell};
      for (std::size_t i = 0; i < all[cell].size(); ++i) {
        std::vector<int> came;
        for (const BucketMessage& each : all[cell][i]) {
          EXPECT_FALSE(each.sent.empty());
          for (const int sent : each.sent) EXPECT_TRUE(std::ranges::count(held, sent));
          came.insert(came.end(), each.received.begin(), each.received.end());
          const auto& there = all[each.to][i];
          EXPECT_TRUE(std::ranges::any_of(there, [&](const BucketMessage& other) {
            return other.from == cell && other.received == each.sent;
          }));
        }
        held.insert(held.end(), came.begin(), came.end());
      }
      std::ranges::sort(held);
      std::vector<int> everything(mesh.cells());
      std::iota(everything.begin(), everything.end(), 0);
      EXPECT_EQ(held, everything);
    }
  }
}

}  // namespace
}  // namespace toccata
