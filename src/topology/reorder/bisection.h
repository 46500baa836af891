#pragma once

#include <random>
#include <span>
#include <vector>

namespace toccata {

// An undirected graph with weights. Each edge is listed at both of its ends.
struct WeightedGraph {
  struct Edge {
    int to;
    double weight;
  };
  std::vector<Edge> edges;
  std::vector<std::size_t> first = {0};  // by vertex: its first edge; and the end
  std::vector<int> size;                 // by vertex
  std::vector<double> pull;              // by vertex: the additional cost of side 1

  int vertices() const { return static_cast<int>(size.size()); }
  std::span<const Edge> of(int vertex) const {
    return {edges.data() + first[vertex], first[vertex + 1] - first[vertex]};
  }
  // The vertex has the edges that were appended since the last one.
  void add_vertex(int its_size, double its_pull) {
    first.push_back(edges.size());
    size.push_back(its_size);
    pull.push_back(its_pull);
  }
};

// Divides vertices of size 1 into `zeros` on side 0 and the others on side 1, so that the weights
// of edges between the sides, and the pulls, have a small sum. The side of each vertex. Different
// random numbers find different divisions.
//
// Multilevel: pairs of vertices with heavy edges are merged until few are left, these are divided,
// and moves of vertices [fiduccia1982] improve the division while the vertices are separated again.
// O((vertices + edges) · log vertices).
std::vector<char> bisect(const WeightedGraph& graph, int zeros, std::mt19937& random);

}  // namespace toccata
