#include "patterns/binary_tree.h"

#include "support.h"

namespace toccata {
namespace {

// Parents and children are consistent, depths count edges, and every rank is below the root.
TEST(BinaryTree, IsATreeOfAllRanks) {
  for (int p = 1; p <= 130; ++p)
    for (const int root : {0, p / 3, p - 1})
      for (const bool turned : {false, true}) {
        SCOPED_TRACE(testing::Message() << p << " ranks, root " << root);
        const BinaryTree tree{p, root, turned};
        int children = 0, deepest = 0;
        for (int rank = 0; rank < p; ++rank) {
          const TreePlace place = tree.place(rank);
          EXPECT_EQ(place.parent < 0, rank == root);
          EXPECT_LE(place.children.size(), rank == root ? 1U : 2U);
          for (const int child : place.children) {
            EXPECT_EQ(tree.place(child).parent, rank);
            EXPECT_EQ(tree.place(child).depth, place.depth + 1);
          }
          children += static_cast<int>(place.children.size());
          deepest = std::max(deepest, place.depth);
        }
        EXPECT_EQ(children, p - 1);
        EXPECT_EQ(deepest, tree.depth());
      }
}

// The properties that double trees require: every rank is a leaf of at least one tree.
TEST(BinaryTree, HasEveryRankForALeafIfItIsNoneOfTheTurnedOne) {
  for (int p = 2; p <= 130; ++p)
    for (int rank = 1; rank < p; ++rank)
      EXPECT_TRUE((BinaryTree{p, 0, false}.place(rank).children.empty() ||
                   BinaryTree{p, 0, true}.place(rank).children.empty()))
          << rank << " of " << p;
}

}  // namespace
}  // namespace toccata
