#include "networks/torus_packing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "networks/packing.h"

namespace toccata {
namespace {

Mesh torus(std::vector<int> dims) {
  std::vector<bool> periodic(dims.size(), true);
  return {std::move(dims), std::move(periodic)};
}

int trees_per_node(const Mesh& torus) { return 2 * torus.dimensions(); }

// All links of a torus carry that many trees, except the links of some cables.
Network with_capacity(const Mesh& mesh, std::int64_t trees,
                      const std::vector<std::pair<int, int>>& cables, std::int64_t of_cables) {
  const Network whole(mesh);
  std::vector<NetworkLink> links;
  for (const NetworkLink& each : whole.links()) {
    const bool is_changed = std::ranges::any_of(cables, [&](const auto& cable) {
      return cable == std::pair(each.from, each.to) || cable == std::pair(each.to, each.from);
    });
    links.push_back({each.from, each.to, (is_changed ? of_cables : trees) * each.capacity});
  }
  return {mesh.cells(), mesh.cells(), std::move(links)};
}

std::string error_in(const Mesh& mesh, const Network& network) {
  const auto trees = pack_torus(mesh, network);
  if (!trees) return "none";
  const std::vector<std::int64_t> roots(mesh.cells(), trees_per_node(mesh));
  return why_wrong(network, roots, *trees);
}

// The 2N trees of each node bring a piece to every other node, over its 2N links. So with equal
// dimensions, each link is in one tree of every other node.
TEST(TorusPacking, UsesAllLinksOfAWholeTorusEqually) {
  for (const std::vector<int>& dims : {std::vector{5}, {4, 4}, {3, 3, 3}, {8, 8}}) {
    const Mesh mesh = torus(dims);
    EXPECT_EQ(error_in(mesh, with_capacity(mesh, mesh.cells() - 1, {}, 0)), "");
    EXPECT_EQ(error_in(mesh, with_capacity(mesh, mesh.cells() - 2, {}, 0)), "none");
  }
}

TEST(TorusPacking, GoesAroundMissingAndSlowLinks) {
  for (const std::vector<int>& dims : {std::vector{4, 4}, {5, 4, 3}, {8, 8}, {6, 2, 4}}) {
    const Mesh mesh = torus(dims);
    const int first = mesh.neighbors(0)[1], far = mesh.cells() / 2;
    // The end of a missing cable receives everything over the other links.
    const std::int64_t pieces = std::int64_t{mesh.cells() - 1} * trees_per_node(mesh);
    const auto links = static_cast<std::int64_t>(Network(mesh).out(0).size());
    const std::int64_t least = (pieces + links - 2) / (links - 1);
    const std::int64_t most = least + least / 10;
    for (const std::int64_t of_cables : {std::int64_t{0}, least / 4}) {
      EXPECT_EQ(error_in(mesh, with_capacity(mesh, most, {{0, first}}, of_cables)), "")
          << dims.size();
      EXPECT_EQ(
          error_in(mesh, with_capacity(mesh, most, {{0, first}, {far, mesh.neighbors(far).back()}},
                                       of_cables)),
          "");
    }
    EXPECT_EQ(error_in(mesh, with_capacity(mesh, least - 2, {{0, first}}, 0)), "none");
  }
}

// A tree may have to enter a part of the torus at another node and run backwards there.
TEST(TorusPacking, TurnsPartsOfTrees) {
  const Mesh ring = torus({6});
  // With a missing cable, a ring is a line: both trees of a node are the same.
  const Network line = with_capacity(ring, 10, {{2, 3}}, 0);
  const auto trees = pack_torus(ring, line);
  ASSERT_TRUE(trees.has_value());
  EXPECT_EQ(error_in(ring, line), "");
  for (const PackedTree& each : *trees) EXPECT_NE(each.parent(3), 2);
}

TEST(TorusPacking, NeedsATorus) {
  const Mesh mesh{{4, 4}, {true, false}};
  EXPECT_FALSE(pack_torus(mesh, Network(mesh)).has_value());
  const Mesh whole = torus({4, 4});
  EXPECT_FALSE(pack_torus(whole, Network(8, 8, {{0, 1}, {1, 0}})).has_value());
}

TEST(TorusPacking, FindsNothingInADisconnectedNetwork) {
  const Mesh ring = torus({6});
  EXPECT_EQ(error_in(ring, with_capacity(ring, 100, {{2, 3}, {5, 0}}, 0)), "none");
}

}  // namespace
}  // namespace toccata
