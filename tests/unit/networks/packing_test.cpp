#include "networks/packing.h"

#include <memory>

#include "networks/bounds.h"
#include "networks/cuts.h"
#include "support.h"
#include "topology/error.h"
#include "topology/placements.h"
#include "topology/readers.h"
#include "topology/synthetic.h"
#include "writing/registry.h"

namespace toccata {
namespace {

using Roots = std::vector<std::int64_t>;

// A strongly connected network: it contains a circle, and further links of any capacity.
Network random_network(int nodes, test::Random& random) {
  std::vector<NetworkLink> links;
  const std::vector<int> circle = random.permutation(nodes);
  for (int i = 0; i < nodes; ++i)
    links.push_back({circle[i], circle[(i + 1) % nodes], random.number(1, 3)});
  for (int more = random.number(0, 3 * nodes); more > 0; --more) {
    const int from = random.number(0, nodes - 1), to = random.number(0, nodes - 1);
    if (from != to) links.push_back({from, to, random.number(1, 4)});
  }
  return {nodes, nodes, std::move(links)};
}

// There are as many trees as the smallest cut allows, as proved in [edmonds1973].
TEST(Packing, HasAsManyTreesAsTheSmallestCutAllows) {
  test::Random random(3);
  for (int run = 0; run < 200; ++run) {
    const int nodes = random.number(2, 12);
    const Network network = random_network(nodes, random);
    const Roots ones(nodes, 1);
    const int root = random.number(0, nodes - 1);
    Roots roots(nodes);
    roots[root] = broadcast_cut(network, ones, root).capacity;
    EXPECT_EQ(why_wrong(network, roots, pack_trees(network, roots)), "") << run;
    ++roots[root];
    EXPECT_THROW(pack_trees(network, roots), std::invalid_argument) << run;
    // With all nodes as roots: if all capacities are multiplied, the number of trees is the bound
    // of the allgather.
    const Cut cut = allgather_cut(network, ones);
    std::vector<NetworkLink> wider = network.links();
    for (NetworkLink& each : wider) each.capacity *= cut.demand;
    const Network wide(nodes, nodes, std::move(wider));
    const Roots all(nodes, cut.capacity);
    EXPECT_EQ(why_wrong(wide, all, pack_trees(wide, all)), "") << run;
    EXPECT_THROW(pack_trees(wide, Roots(nodes, cut.capacity + 1)), std::invalid_argument) << run;
    // With any roots: the maximum number, not more.
    std::int64_t trees = 1;
    while (balanced_roots(network, trees + 1)) ++trees;
    const Roots balanced = *balanced_roots(network, trees);
    EXPECT_EQ(std::accumulate(balanced.begin(), balanced.end(), std::int64_t{0}), trees);
    EXPECT_GE(trees, roots[root] - 1);
    EXPECT_EQ(why_wrong(network, balanced, pack_trees(network, balanced)), "") << run;
  }
}

TEST(Packing, OfDisconnectedNetworksSaysSo) {
  const Network network(4, 4, {{0, 1, 2}, {1, 0, 2}, {2, 3, 1}, {3, 2, 1}});
  try {
    pack_trees(network, {1, 0, 0, 0});
    FAIL() << "there is no tree";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("disconnected"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  EXPECT_FALSE(balanced_roots(network, 1));
  const Network switched(2, 3, {{0, 2, 1}, {2, 1, 1}});
  EXPECT_THROW(pack_trees(switched, {1, 0}), std::invalid_argument);
}

// The check finds any change in a packing that uses all capacities.
TEST(Packing, MutationsAreFound) {
  const Network network(*parse_machine("torus:4x4").network());
  const Roots roots(16, 1);
  std::vector<NetworkLink> links = network.links();
  for (NetworkLink& each : links) each.capacity = 4;
  const Network wide(16, 16, std::move(links));
  const std::vector<PackedTree> trees = pack_trees(wide, roots);
  ASSERT_EQ(why_wrong(wide, roots, trees), "");
  test::Random random(5);
  int circles = 0, found = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<PackedTree> changed = trees;
    PackedTree& tree = changed[random.number(0, 15)];
    std::vector<std::int32_t> parents = tree.parents();
    const int node = random.number(0, 15), parent = random.number(-1, 15);
    if (parents[node] == parent) continue;
    parents[node] = parent;
    try {
      tree = PackedTree(tree.weight(), std::move(parents));
    } catch (const std::invalid_argument&) {
      ++circles;
      continue;
    }
    // If a link has free capacity, a tree may use it: 16 trees need 240 of 256.
    std::int64_t most = 0;
    std::vector<int> used(16 * 16);
    bool linked = true;
    for (const PackedTree& each : changed)
      for (int i = 0; i < 16; ++i)
        if (each.parent(i) >= 0) {
          linked = linked && network.route(each.parent(i), i).size() == 1;
          most = std::max<std::int64_t>(most, ++used[16 * each.parent(i) + i]);
        }
    EXPECT_EQ(why_wrong(wide, roots, changed).empty(), linked && most <= 4) << run;
    found += why_wrong(wide, roots, changed).empty() ? 0 : 1;
  }
  EXPECT_GT(circles, 50);
  EXPECT_GT(found, 50);
  std::vector<PackedTree> fewer = trees;
  fewer.pop_back();
  EXPECT_NE(why_wrong(wide, roots, fewer), "");
  fewer.emplace_back(2, trees.back().parents());
  EXPECT_NE(why_wrong(wide, roots, fewer), "");
}

TEST(PackedTrees, AreKeptInFiles) {
  const auto trees = std::make_shared<PackedTrees>();
  trees->bcast.emplace_back(2, std::vector<std::int32_t>{1, 3, 3, -1});
  trees->allgather.emplace_back(1, std::vector<std::int32_t>{-1, 0, 1, 2});
  const Machine plain = parse_machine("leaf:2 node:2 core:2");
  std::vector<Machine::Level> levels;
  for (int level = 0; level < plain.levels(); ++level) levels.push_back(plain.level(level));
  const Machine machine(levels, {}, trees);
  const std::string text = saved(machine);
  EXPECT_EQ(text, "machine leaf:2 node:2 core:2\ntree bcast 2 1,3,3,-\ntree allgather 1 -,0,1,2\n");
  const Machine again = read_saved(text, "file");
  ASSERT_NE(again.trees(), nullptr);
  EXPECT_EQ(again.trees()->bcast.front().depth(), 2);
  EXPECT_EQ(again.trees()->bcast.front().root(), 3);
  EXPECT_EQ(saved(again), text);
  for (const std::string_view line :
       {"tree bcast 1 -,0,0", "tree bcast 1 -,0,0,-", "tree bcast 0 -,0,0,0", "tree scan 1 -,0,0,0",
        "tree bcast 1 -,2,1,0", "tree bcast 1 -,0,x,0", "tree bcast 1", "tree bcast 1 0,0,0,0",
        "tree bcast 1 -,0,0,9"}) {
    SCOPED_TRACE(std::string(line));
    EXPECT_THROW(read_saved("machine leaf:2 node:2 core:2\n" + std::string(line) + "\n", "file"),
                 TopologyError);
  }
}

// A torus with a dead cable. No link carries more bytes over packed trees than the bound of such a
// network. Collectives over these trees are correct, also with several ranks per node.
TEST(PackedTrees, ReachTheBoundAroundADeadCable) {
  const Machine torus = parse_machine("torus:4x4 core:3");
  const Network whole(*torus.network());
  std::vector<NetworkLink> links;
  for (const NetworkLink& each : whole.links())
    if (each.from + each.to != 1) links.push_back(each);
  const Network network(16, 16, std::move(links));
  const auto trees = std::make_shared<PackedTrees>();
  for (int root = 0; root < 16; ++root) {
    Roots roots(16);
    roots[root] = broadcast_cut(network, Roots(16, 1), root).capacity;
    EXPECT_EQ(roots[root], 3);
    for (const PackedTree& each : pack_trees(network, roots)) trees->bcast.push_back(each);
  }
  std::vector<NetworkLink> wider = network.links();
  for (NetworkLink& each : wider) each.capacity = 5;  // 15 blocks over 3 links
  trees->allgather = pack_trees(Network(16, 16, std::move(wider)), Roots(16, 1));
  const auto balanced = balanced_roots(network, 4);
  ASSERT_TRUE(balanced);
  trees->allreduce = pack_trees(network, *balanced);
  std::vector<Machine::Level> levels;
  for (int level = 0; level < torus.levels(); ++level) levels.push_back(torus.level(level));
  const auto machine = std::make_shared<const Machine>(levels, torus.network(), trees);
  const auto share = [&](const Collective& collective, int p, std::string_view placement) {
    const Algorithm& algorithm = *find_algorithm(collective, "forestcoll");
    Shape shape{.p = p, .root = collective.rooted ? 5 : 0};
    shape.placement = std::make_shared<const Placement>(place(machine, p, placement));
    shape = algorithm.complete(shape);
    EXPECT_EQ(verify(algorithm, shape), "") << collective.name << " " << placement;
    // Every tree joins neighbours; their messages use the link between them.
    const LinkTraffic traffic = link_traffic(algorithm, shape);
    // The links from cell 0 along dimension 1, and back.
    EXPECT_EQ(traffic.bytes[2] + traffic.bytes[7], 0) << "the dead link";
    return link_share(algorithm, shape, traffic);
  };
  EXPECT_DOUBLE_EQ(share(bcast, 16, "cyclic"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(share(reduce, 16, "cyclic"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(share(allgather, 16, "cyclic"), 5.0 / 16);
  EXPECT_DOUBLE_EQ(share(reduce_scatter, 16, "cyclic"), 5.0 / 16);
  EXPECT_DOUBLE_EQ(share(allreduce, 16, "cyclic"), 2.0 / 4);  // 30/62 at least
  EXPECT_DOUBLE_EQ(share(bcast, 48, "sequential"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(share(reduce, 48, "random:3"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(share(allreduce, 48, "cyclic"), 2.0 / 4);
}

}  // namespace
}  // namespace toccata
