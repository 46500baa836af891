#include "patterns/binomial.h"
#include "patterns/folded_cube.h"
#include "patterns/halving.h"
#include "support.h"

namespace toccata {
namespace {

// Every rank except the root has one parent, which lists it as a child. The spans add up to p.
TEST(Binomial, IsATreeOfAllRanks) {
  for (int p = 1; p <= 70; ++p)
    for (const int root : {0, p / 3, p - 1})
      for (int rank = 0; rank < p; ++rank) {
        SCOPED_TRACE(testing::Message() << rank << " of " << p << ", root " << root);
        const Binomial tree = Binomial::of(p, rank, root);
        EXPECT_EQ(tree.is_root(), rank == root);
        int span = 1;
        for (int distance = tree.farthest(); distance > 0; distance /= 2)
          if (tree.has_child(distance)) {
            const Binomial child = Binomial::of(p, tree.child(distance), root);
            EXPECT_EQ(child.parent(), rank);
            EXPECT_EQ(child.reach(), distance);
            EXPECT_EQ(child.span(), tree.span(distance));
            span += child.span();
          }
        EXPECT_EQ(span, tree.span());
        if (tree.is_root()) {
          EXPECT_EQ(span, p);
        }
      }
}

// The same properties for every radix. The distance of a child is a digit times its weight.
TEST(Knomial, IsATreeOfAllRanks) {
  for (const int radix : {2, 3, 4, 7, 100})
    for (int p = 1; p <= 70; ++p)
      for (const int root : {0, p / 3, p - 1})
        for (int rank = 0; rank < p; ++rank) {
          SCOPED_TRACE(testing::Message() << rank << " of " << p << ", radix " << radix);
          const Knomial tree = Knomial::of(p, rank, root, radix);
          int span = 1, children = 0;
          for (int weight = tree.farthest(); weight > 0; weight /= radix)
            for (int i = 1; i <= tree.children(weight); ++i) {
              const Knomial child = Knomial::of(p, tree.child(i * weight), root, radix);
              EXPECT_TRUE(tree.has_child(i * weight));
              EXPECT_EQ(child.parent(), rank);
              EXPECT_EQ(child.reach(), weight);
              EXPECT_EQ(child.span(), tree.span(i * weight));
              span += child.span();
              ++children;
            }
          EXPECT_EQ(span, tree.span());
          EXPECT_LE(children, (radix - 1) * tree.levels());
          if (tree.is_root()) {
            EXPECT_EQ(span, p);
          }
        }
}

TEST(FoldedCube, HasEveryRankInOneLeaf) {
  for (int p = 1; p <= 70; ++p)
    for (int root = 0; root < p; ++root) {
      const FoldedCube cube{p, root};
      EXPECT_TRUE(is_power_of_two(cube.leaves()));
      EXPECT_TRUE(cube.leaves() <= p && p < 2 * cube.leaves());
      EXPECT_EQ(cube.owner(cube.leaf(root)), root);
      std::vector<int> ranks(cube.leaves(), 0);
      for (int rank = 0; rank < p; ++rank) {
        ++ranks[cube.leaf(rank)];
        EXPECT_EQ(cube.in_pair(rank), cube.leaf(rank) < cube.pairs());
        if (cube.in_pair(rank)) {
          EXPECT_EQ(cube.leaf(FoldedCube::twin(rank)), cube.leaf(rank));
        }
      }
      for (int leaf = 0; leaf < cube.leaves(); ++leaf) {
        EXPECT_EQ(ranks[leaf], leaf < cube.pairs() ? 2 : 1);
        EXPECT_EQ(cube.leaf(cube.owner(leaf)), leaf);
      }
    }
}

// Leaves are the multiples of radix^k, as many as possible; pairs come first. Every leaf is in
// groups whose sizes multiply to the number of leaves.
TEST(FoldedCube, HasGroupsInAnyRadix) {
  for (const int radix : {2, 3, 4, 5, 100})
    for (int p = 1; p <= 130; ++p) {
      SCOPED_TRACE(testing::Message() << p << " ranks, radix " << radix);
      const FoldedCube cube{p, 0, radix};
      EXPECT_LE(cube.leaves(), p);
      EXPECT_LT(p, 2 * cube.leaves());
      EXPECT_EQ(cube.first(cube.leaves()), p);
      for (int leaf = 0; leaf < cube.leaves(); ++leaf) {
        int reached = 1;
        for_each_group(cube, leaf, [&](const LeafGroup& group) {
          EXPECT_EQ(group.weight, reached);
          EXPECT_GT(group.size, 1);
          EXPECT_LE(group.size, radix);
          EXPECT_EQ(group.leaf(group.place), leaf);
          // The i-th peer to which we send also receives from us as its i-th peer.
          for (int i = 1; i < group.size; ++i) {
            EXPECT_NE(group.above(i), leaf);
            for_each_group(cube, group.above(i), [&](const LeafGroup& theirs) {
              if (theirs.weight == group.weight) {
                EXPECT_EQ(theirs.below(i), leaf);
              }
            });
          }
          reached *= group.size;
        });
        EXPECT_EQ(reached, cube.leaves());
      }
    }
}

// p = 6, as drawn in halving.h.
TEST(InterleavedHalves, AreEveryOtherLeaf) {
  const InterleavedHalves every{FoldedCube{6}};
  EXPECT_EQ(test::expand(every(1, 2)), (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(test::expand(every(2, 2)), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(test::expand(every(3, 4)), (std::vector<int>{5}));
}

// p = 4, as drawn in halving.h.
TEST(ContiguousHalves, AreHalvedBetweenPeers) {
  const ContiguousHalves kept{4};
  EXPECT_EQ(kept(2, 1), (BlockRanges{recv(0, 4)}));
  EXPECT_EQ(kept(0, 2), (BlockRanges{recv(0, 2)}));
  EXPECT_EQ(kept(1, 2), (BlockRanges{recv(2, 2)}));
  EXPECT_EQ(kept(2, 2), (BlockRanges{recv(0, 2)}));
  EXPECT_EQ(kept(0, 4), (BlockRanges{recv(0)}));
  EXPECT_EQ(kept(1, 4), (BlockRanges{recv(2)}));
  EXPECT_EQ(kept(2, 4), (BlockRanges{recv(1)}));
  EXPECT_EQ(kept(3, 4), (BlockRanges{recv(3)}));
}

}  // namespace
}  // namespace toccata
