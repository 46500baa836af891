#include "topology/reorder/bisection.h"

#include <gtest/gtest.h>
#include <set>

#include "../../support.h"

namespace toccata {
namespace {

WeightedGraph graph_of(int n, const std::set<std::pair<int, int>>& pairs, test::Random& random) {
  std::vector<std::vector<WeightedGraph::Edge>> rows(n);
  for (const auto& [a, b] : pairs) {
    const double weight = random.number(0, 1000);
    rows[a].push_back({b, weight});
    rows[b].push_back({a, weight});
  }
  WeightedGraph graph;
  for (const auto& row : rows) {
    graph.edges.insert(graph.edges.end(), row.begin(), row.end());
    graph.add_vertex(1, random.number(-100, 100));
  }
  return graph;
}

// Also without edges, with a hub that is a neighbour of all others, and with several parts.
TEST(Bisect, BothSidesHaveTheRequestedSizes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    std::mt19937 ours(seed);
    const int n = random.number(2, seed % 20 == 0 ? 3000 : 150);
    std::set<std::pair<int, int>> pairs;
    const int kind = random.number(0, 3);
    for (int a = 0; a < n; ++a)
      for (int i = random.number(0, kind == 0 ? 0 : 8); i > 0; --i)
        if (const int b = kind == 1 ? random.number(0, 2) : random.number(a / 50 * 50, n - 1);
            b != a)
          pairs.insert(std::minmax(a, b));
    const WeightedGraph graph = graph_of(n, pairs, random);
    const int zeros = random.number(1, n - 1);
    const std::vector<char> side = bisect(graph, zeros, ours);
    ASSERT_EQ(std::ssize(side), n);
    EXPECT_EQ(std::ranges::count(side, 0), zeros) << seed;
    EXPECT_EQ(std::ranges::count(side, 1), n - zeros) << seed;
  }
}

// Two rings of 100 vertices with a light edge between them. One division may be worse.
TEST(Bisect, FindsTheLightestEdge) {
  WeightedGraph graph;
  for (int vertex = 0; vertex < 200; ++vertex) {
    const int ring = vertex / 100 * 100;
    for (const int step : {1, 99}) graph.edges.push_back({ring + (vertex + step) % 100, 5});
    if (vertex % 100 == 0) graph.edges.push_back({100 - vertex, 1});
    graph.add_vertex(1, 0);
  }
  std::mt19937 random;
  double least = 1e9;
  for (int i = 0; i < 20; ++i) {
    const std::vector<char> side = bisect(graph, 100, random);
    double twice = 0;
    for (int vertex = 0; vertex < 200; ++vertex)
      for (const WeightedGraph::Edge& edge : graph.of(vertex))
        if (side[vertex] != side[edge.to]) twice += edge.weight;
    least = std::min(least, twice / 2);
  }
  EXPECT_EQ(least, 1);
}

// Without edges, only the pulls count: the more a vertex costs on side 1, the sooner it is on side
// 0.
TEST(Bisect, FollowsThePulls) {
  WeightedGraph graph;
  for (int vertex = 0; vertex < 300; ++vertex) graph.add_vertex(1, vertex * 7 % 300);
  std::mt19937 random;
  const std::vector<char> side = bisect(graph, 120, random);
  for (int vertex = 0; vertex < 300; ++vertex)
    EXPECT_EQ(side[vertex] == 0, graph.pull[vertex] >= 180) << vertex;
}

}  // namespace
}  // namespace toccata
