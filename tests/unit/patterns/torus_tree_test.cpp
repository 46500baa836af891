#include "patterns/torus_tree.h"

#include <map>
#include <set>

#include "support.h"

namespace toccata {
namespace {

Mesh torus(std::vector<int> dims) {
  const std::vector<bool> periodic(dims.size(), true);
  return {std::move(dims), periodic};
}
Mesh mesh(std::vector<int> dims) {
  const std::vector<bool> periodic(dims.size(), false);
  return {std::move(dims), periodic};
}

// The least k with base^k >= p.
int ceil_log(int base, int p) {
  int k = 0;
  for (std::int64_t reached = 1; reached < p; reached *= base) ++k;
  return k;
}
int bound(const Mesh& mesh) { return ceil_log(2 * mesh.dimensions() + 1, mesh.cells()); }

std::string text(const Mesh& mesh) {
  std::string result;
  for (int i = 0; i < mesh.dimensions(); ++i)
    result += (i > 0 ? "x" : "") + std::to_string(mesh.dims[i]) + (mesh.periodic[i] ? "" : "m");
  return result;
}

TEST(TorusTree, ReachesEveryCellOnceAndAlongOneAxis) {
  for (const Mesh& mesh : {torus({7}), mesh({7}), torus({4, 4}), mesh({4, 4}), torus({5, 3, 2}),
                           Mesh{{6, 5}, {true, false}}, torus({2, 2, 2}), torus({})})
    for (int root = 0; root < mesh.cells(); ++root) {
      SCOPED_TRACE(text(mesh) + ", root " + std::to_string(root));
      std::map<int, std::pair<int, int>> given;  // cell -> parent, round
      int rounds = 0;
      for (int cell = 0; cell < mesh.cells(); ++cell) {
        const TorusTree tree(mesh, root, cell);
        int last_round = tree.round;
        std::set<std::pair<int, int>> directions;  // round, axis and side
        int cells = 0;
        for (const TorusTree::Part& part : tree.parts) {
          EXPECT_TRUE(given.insert({part.root, {cell, part.round}}).second) << "given twice";
          EXPECT_TRUE(part.box.contains(mesh, mesh.coordinates(part.root)));
          EXPECT_GT(part.round, tree.round);
          EXPECT_GE(part.round, last_round);
          last_round = part.round;
          int axes = 0;
          const std::vector<int> here = mesh.coordinates(cell), there = part.box.root;
          for (int i = 0; i < mesh.dimensions(); ++i)
            if (here[i] != there[i]) {
              ++axes;
              const bool up = wrap(there[i] - here[i], mesh.dims[i]) <= mesh.dims[i] / 2;
              const bool above = mesh.periodic[i] ? up : there[i] > here[i];
              EXPECT_TRUE(directions.insert({part.round, 2 * i + (above ? 1 : 0)}).second);
            }
          EXPECT_EQ(axes, 1);
          cells += part.box.cells();
        }
        EXPECT_EQ(cells, tree.box.cells() - 1);
        rounds = std::max(rounds, last_round + 1);
      }
      EXPECT_EQ(static_cast<int>(given.size()), mesh.cells() - 1);
      for (const auto& [cell, from] : given) {
        const TorusTree tree(mesh, root, cell);
        EXPECT_EQ(std::pair(tree.parent, tree.round), from);
      }
      EXPECT_EQ(tree_rounds(mesh, root), rounds);
    }
}

TEST(TorusTree, ReachesTheBoundOnLinesOfPowersOfThree) {
  for (const int p : {3, 9, 27, 81, 243}) EXPECT_EQ(tree_rounds(torus({p}), 0), bound(torus({p})));
  for (const int p : {3, 9, 27, 81, 243})
    EXPECT_EQ(tree_rounds(mesh({p}), p / 2), bound(mesh({p}))) << "a root in the middle";
}

// The reached height and the bound, for the shapes in the paper and for uneven ones.
TEST(TorusTree, IsNearTheBound) {
  struct Known {
    std::vector<int> dims;
    int bound, torus, mesh_corner;
  };
  for (const Known& known : std::vector<Known>{{{4, 4}, 2, 3, 3},
                                               {{8, 8}, 3, 4, 5},
                                               {{8, 8, 8}, 4, 5, 6},
                                               {{16, 16, 16}, 5, 6, 8},
                                               {{32, 32, 32}, 6, 8, 9},
                                               {{4, 4, 4, 4}, 3, 5, 5},
                                               {{16, 8, 8}, 4, 6, 7},
                                               {{13, 11}, 4, 4, 5},
                                               {{7, 5, 3}, 3, 3, 5},
                                               {{6, 4, 2}, 2, 3, 4}}) {
    SCOPED_TRACE(text(torus(known.dims)));
    EXPECT_EQ(bound(torus(known.dims)), known.bound);
    EXPECT_EQ(tree_rounds(torus(known.dims), 0), known.torus);
    EXPECT_EQ(tree_rounds(mesh(known.dims), 0), known.mesh_corner);
  }
  for (int root = 0; root < 512; ++root) EXPECT_LE(tree_rounds(mesh({8, 8, 8}), root), 6);
}

TEST(TorusTree, IsNeverHigherThanTheTreeOverOneLink) {
  std::vector<std::vector<int>> shapes;
  for (int a = 1; a <= 200; ++a) shapes.push_back({a});
  for (int a = 1; a <= 14; ++a)
    for (int b = 1; b <= a; ++b) {
      shapes.push_back({a, b});
      for (int c = 1; c <= std::min(b, 6); ++c)
        if (a <= 7) shapes.push_back({c, a, b});
    }
  for (const std::vector<int>& dims : shapes) {
    const Mesh ring = torus(dims), line = mesh(dims);
    const int one_link = ceil_log2(ring.cells());
    EXPECT_LE(tree_rounds(ring, 0), one_link) << text(ring);
    EXPECT_GE(tree_rounds(ring, 0), bound(ring)) << text(ring);
    for (int root = 0; root < line.cells(); ++root)
      EXPECT_LE(tree_rounds(line, root), one_link) << text(line) << ", root " << root;
  }
}

}  // namespace
}  // namespace toccata
