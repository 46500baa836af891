#include "patterns/torus_forest.h"

#include <set>

#include "support.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

// Every tree spans all cells, children and parents are consistent, and no link is used twice. There
// are as many trees as links that leave the root, which is the maximum.
TEST(TorusForest, SpansWithoutSharingALink) {
  for (const std::string_view text :
       {"torus:1", "torus:2", "torus:3", "torus:8", "torus:2x2", "torus:2x2x2x2", "torus:3x3",
        "torus:4x3", "torus:16x4", "torus:3x4x5", "torus:3x3x4x3", "torus:5x3x2", "torus:3x2",
        "torus:2x3x2", "torus:2x2x4", "torus:2x1x5", "mesh:2x~5", "torus:8x8x8"}) {
    SCOPED_TRACE(std::string(text));
    const Mesh mesh = *parse_machine(text).network();
    ASSERT_TRUE(TorusForest::fits(mesh));
    int expected = 0;
    for (const int size : mesh.dims) expected += size == 1 ? 0 : size == 2 ? 1 : 2;
    for (const int root : {0, mesh.cells() / 2, mesh.cells() - 1}) {
      const TorusForest forest(mesh, root);
      EXPECT_EQ(forest.trees(), expected);
      std::set<std::pair<int, int>> used;
      for (int tree = 0; tree < forest.trees(); ++tree) {
        int edges = 0;
        for (int cell = 0; cell < mesh.cells(); ++cell) {
          const TreePlace place = forest.place(tree, cell);
          EXPECT_EQ(place.parent, forest.parent(tree, cell));
          EXPECT_EQ(place.parent < 0, cell == root);
          EXPECT_LE(place.depth, forest.depth());
          for (const int child : place.children) {
            EXPECT_EQ(forest.parent(tree, child), cell);
            EXPECT_EQ(forest.place(tree, child).depth, place.depth + 1);
            EXPECT_EQ(mesh.hops(cell, child), 1);
            EXPECT_TRUE(used.emplace(cell, child).second) << cell << " to " << child;
            ++edges;
          }
        }
        EXPECT_EQ(edges, mesh.cells() - 1);
      }
    }
  }
  EXPECT_FALSE(TorusForest::fits(*parse_machine("mesh:4x~4").network()));
}

}  // namespace
}  // namespace toccata
