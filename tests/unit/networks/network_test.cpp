#include "networks/network.h"

#include <algorithm>
#include <set>

#include "choices/known_shape.h"
#include "networks/bounds.h"
#include "networks/cuts.h"
#include "support.h"
#include "topology/synthetic.h"
#include "writing/registry.h"

namespace toccata {
namespace {

Network torus(std::string_view text) { return Network(*parse_machine(text).network()); }

std::vector<std::int64_t> ones(const Network& network) {
  return std::vector<std::int64_t>(network.nodes(), 1);
}

// Two leaf switches with two nodes each. The cables to the switch above have this capacity.
Network tree(std::int64_t up) {
  std::vector<NetworkLink> links;
  const auto cable = [&](int a, int b, std::int64_t capacity) {
    links.push_back({a, b, capacity});
    links.push_back({b, a, capacity});
  };
  for (int node = 0; node < 4; ++node) cable(node, 4 + node / 2, 2);
  cable(4, 6, up);
  cable(5, 6, up);
  return {4, 7, std::move(links)};
}

TEST(Cuts, OfToriAreTheirNodes) {
  for (const auto& [text, links] : {std::pair{"torus:4x4", 4},
                                    {"torus:8x8x8", 6},
                                    {"torus:5x3x2", 5},
                                    {"torus:2x2x2", 3},
                                    {"mesh:4x4", 2}}) {
    const Network network = torus(text);
    const std::vector<std::int64_t> weights = ones(network);
    EXPECT_DOUBLE_EQ(broadcast_cut(network, weights, 0).ratio(), 1.0 / links) << text;
    const double others = network.nodes() - 1.0;
    EXPECT_DOUBLE_EQ(scatter_cut(network, weights, 0).ratio(), others / links) << text;
    EXPECT_DOUBLE_EQ(allgather_cut(network, weights).ratio(), others / links) << text;
  }
}

TEST(Cuts, GoThroughTaperedTrees) {
  const Network full = tree(4), tapered = tree(1);
  EXPECT_DOUBLE_EQ(broadcast_cut(full, ones(full), 0).ratio(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(broadcast_cut(tapered, ones(tapered), 0).ratio(), 1.0);
  EXPECT_DOUBLE_EQ(scatter_cut(full, ones(full), 0).ratio(), 3.0 / 2);
  EXPECT_DOUBLE_EQ(scatter_cut(tapered, ones(tapered), 0).ratio(), 2.0);
  EXPECT_DOUBLE_EQ(allgather_cut(full, ones(full)).ratio(), 3.0 / 2);
  EXPECT_DOUBLE_EQ(allgather_cut(tapered, ones(tapered)).ratio(), 2.0);
  // The cut that limits the allgather separates one leaf switch from the rest.
  const Cut cut = allgather_cut(tapered, ones(tapered));
  EXPECT_NE(cut.inside[0], cut.inside[2]);
  EXPECT_EQ(cut.inside[0], cut.inside[1]);
  // Ten blocks on each node of the first leaf.
  EXPECT_DOUBLE_EQ(allgather_cut(tapered, {10, 10, 1, 1}).ratio(), 20.0);
  // If a node has no blocks, the others need no link from it.
  EXPECT_DOUBLE_EQ(allgather_cut(tapered, {1, 1, 0, 0}).ratio(), 1.0 / 2);
}

// Compares the result with all cuts of small random networks.
TEST(Cuts, AreTheTightestOnes) {
  test::Random random(7);
  for (int run = 0; run < 60; ++run) {
    const int nodes = random.number(2, 5), vertices = nodes + random.number(0, 2);
    std::vector<NetworkLink> links;
    for (int from = 0; from < vertices; ++from)
      for (int to = 0; to < vertices; ++to)
        if (from != to && (to == (from + 1) % vertices || random.number(0, 2) == 0))
          links.push_back({from, to, random.number(1, 5)});
    const Network network(nodes, vertices, links);
    std::vector<std::int64_t> weights;
    for (int node = 0; node < nodes; ++node) weights.push_back(random.number(node < 2, 3));
    double broadcast = 0, scatter = 0, allgather = 0;
    for (int cut = 1; cut + 1 < 1 << vertices; ++cut) {
      double capacity = 0, inside = 0, outside = 0;
      for (const NetworkLink& each : network.links())
        if ((cut >> each.from & 1) == 1 && (cut >> each.to & 1) == 0)
          capacity += static_cast<double>(each.capacity);
      for (int node = 0; node < nodes; ++node)
        ((cut >> node & 1) == 1 ? inside : outside) += static_cast<double>(weights[node]);
      if (outside == 0) continue;
      allgather = std::max(allgather, inside / capacity);
      if ((cut & 1) == 0) continue;
      broadcast = std::max(broadcast, 1 / capacity);
      scatter = std::max(scatter, outside / capacity);
    }
    EXPECT_DOUBLE_EQ(broadcast_cut(network, weights, 0).ratio(), broadcast) << run;
    EXPECT_DOUBLE_EQ(scatter_cut(network, weights, 0).ratio(), scatter) << run;
    EXPECT_DOUBLE_EQ(allgather_cut(network, weights).ratio(), allgather) << run;
  }
}

TEST(Cuts, SayWhatIsDisconnected) {
  const Network network(3, 3, {{0, 1, 1}, {1, 0, 1}, {0, 2, 1}});
  EXPECT_NO_THROW(broadcast_cut(network, ones(network), 0));
  EXPECT_NO_THROW(scatter_cut(network, ones(network), 0));
  EXPECT_THROW(allgather_cut(network, ones(network)), std::invalid_argument);
  EXPECT_THROW(broadcast_cut(network, ones(network), 2), std::invalid_argument);
  EXPECT_THROW(scatter_cut(network.reversed(), ones(network), 0), std::invalid_argument);
  EXPECT_THROW(network.route(2, 0), std::invalid_argument);
}

TEST(Network, RoutesInDimensionOrderOnAMesh) {
  const Network network = torus("torus:4x3");
  const auto hops = [&](int from, int to) {
    double sum = 0;
    for (const auto& [link, share] : network.route(from, to)) sum += share;
    return sum;
  };
  EXPECT_EQ(network.route(0, 4).size(), 2U);  // one down, one across
  EXPECT_EQ(network.route(0, 6).size(), 4U);  // two down, either way round
  EXPECT_DOUBLE_EQ(hops(0, 6), 2);
  for (int from = 0; from < 12; ++from)
    for (int to = 0; to < 12; ++to)
      EXPECT_DOUBLE_EQ(hops(from, to), (Mesh{{4, 3}, {true, true}}).hops(from, to));
}

TEST(Network, SharesShortestRoutesThroughSwitchesAlone) {
  // Two nodes on either leaf switch, 5 and 6; two spines, 7 and 8; node 4 on both leaves.
  std::vector<NetworkLink> links;
  const auto cable = [&](int a, int b) {
    links.push_back({a, b, 1});
    links.push_back({b, a, 1});
  };
  for (const auto& [a, b] :
       {std::pair{0, 5}, {1, 5}, {2, 6}, {3, 6}, {4, 5}, {4, 6}, {5, 7}, {5, 8}, {6, 7}, {6, 8}})
    cable(a, b);
  const Network network(5, 9, links);
  const Network::Route route = network.route(0, 2);
  ASSERT_EQ(route.size(), 6U);  // not through node 4
  double shares = 0;
  for (const auto& [link, share] : route) shares += share;
  EXPECT_DOUBLE_EQ(shares, 4);
}

// Returns the number of different last links of the routes to a vertex.
std::size_t check_single_routes(const Network& network, int to) {
  std::set<int> last;
  for (int from = 0; from < network.nodes(); ++from) {
    if (from == to) continue;
    const std::vector<int> route = network.one_route_each(from)[to];
    EXPECT_EQ(route, network.one_route_each(from)[to]);
    const Network::Route all = network.route(from, to);
    double hops = 0;
    for (const auto& [link, share] : all) hops += share;
    EXPECT_DOUBLE_EQ(static_cast<double>(route.size()), hops);
    int here = from;
    for (const int link : route) {
      EXPECT_TRUE(std::ranges::count(all, link, &std::pair<int, double>::first) == 1);
      EXPECT_EQ(network.links()[link].from, here);
      here = network.links()[link].to;
    }
    EXPECT_EQ(here, to);
    last.insert(route.back());
  }
  return last.size();
}

TEST(Network, SingleRoutesAreAmongTheFixedRoutes) {
  EXPECT_EQ(check_single_routes(tree(2), 0), 1U);
  EXPECT_EQ(check_single_routes(torus("torus:5x4"), 7), 4U);  // all links into a node are used
  const Network whole = torus("torus:4x4");
  std::vector<NetworkLink> links = whole.links();
  std::erase_if(links, [](const NetworkLink& each) { return each.from + each.to == 1; });
  const Network damaged(16, 16, links);
  EXPECT_EQ(check_single_routes(damaged, 0), 3U);
  EXPECT_EQ(damaged.one_route_each(0)[1].size(), 3U);  // around the dead cable
  EXPECT_TRUE(damaged.one_route_each(0)[0].empty());
  const Network apart(2, 2, {{0, 1, 1}});
  EXPECT_TRUE(apart.one_route_each(1)[0].empty());
}

// The bytes of torus_trees on the busiest link equal the bound, also between cells with several
// ranks each.
TEST(TorusTrees, ReachTheBoundByLinkCounts) {
  for (const Collective* collective : {&bcast, &reduce, &allreduce}) {
    const Algorithm& algorithm = *find_algorithm(*collective, "torus_trees");
    const auto ratio = [&](int p, std::string_view machine) {
      Shape shape = known(p, machine);
      shape.root = collective->rooted ? p / 3 : 0;
      shape = algorithm.complete(shape);
      EXPECT_EQ(verify(algorithm, shape), "") << machine;
      const Network network = torus(machine.substr(0, machine.find(' ')));
      double bound = broadcast_cut(network, ones(network), 0).ratio();
      if (collective == &allreduce) bound *= 2 * (network.nodes() - 1.0) / network.nodes();
      return link_share(algorithm, shape, link_traffic(algorithm, shape)) / bound;
    };
    const bool all = collective == &allreduce;
    EXPECT_DOUBLE_EQ(ratio(64, "torus:4x4x4"), all ? 64.0 / 63 : 1) << collective->name;
    EXPECT_DOUBLE_EQ(ratio(64, "torus:16x4"), all ? 64.0 / 63 : 1) << collective->name;
    EXPECT_DOUBLE_EQ(ratio(30, "torus:5x3x2"), all ? 30.0 / 29 : 1) << collective->name;
    EXPECT_DOUBLE_EQ(ratio(36, "torus:4x3 core:3"), all ? 12.0 / 11 : 1) << collective->name;
  }
}

}  // namespace
}  // namespace toccata
