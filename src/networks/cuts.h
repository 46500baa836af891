#pragma once

#include <cstdint>
#include <vector>

#include "networks/network.h"

namespace toccata {

// Maximum flows in a network. Capacities and flows are integers.
class MaxFlow {
 public:
  explicit MaxFlow(int vertices) : first_(vertices, -1) {}

  int vertices() const { return static_cast<int>(first_.size()); }
  int add_vertex();
  // Returns the number of the arc, for set().
  int add(int from, int to, std::int64_t capacity);
  void set(int arc, std::int64_t capacity);

  // The maximum flow between two vertices, computed from zero flow; the search stops at `most`.
  std::int64_t run(int from, int to, std::int64_t most = INT64_MAX);
  // After a complete search: the vertices on the source's side of a minimum cut.
  std::vector<bool> side(int from) const;

 private:
  bool level(int from, int to);
  std::int64_t push(int from, int to, std::int64_t most);

  struct Arc {
    int to, next;
    std::int64_t capacity, left;
  };
  std::vector<int> first_;  // arc, by vertex
  std::vector<Arc> arcs_;   // each is next to its reverse arc
  std::vector<int> level_, at_, queue_;
};

// A cut of the network: `demand` blocks must leave the vertices inside, over links with a total
// capacity of `capacity`. No algorithm takes less than demand / capacity.
struct Cut {
  std::int64_t demand = 0, capacity = 1;
  std::vector<bool> inside = {};  // by vertex

  double ratio() const { return static_cast<double>(demand) / static_cast<double>(capacity); }
};

// The tightest cuts, with `weights` by node: the number of blocks that each node has, or receives.
// Nodes of weight 0 only forward. std::invalid_argument, in one line, if a node cannot be reached.

// A message of size 1 from the root to all others: a broadcast; reversed, a reduction
// [edmonds1973].
Cut broadcast_cut(const Network& network, const std::vector<std::int64_t>& weights, int root);
// From the root to each of the others, as many blocks as its weight: a scatter; reversed, a gather.
Cut scatter_cut(const Network& network, const std::vector<std::int64_t>& weights, int root);
// From each node to all others, as many blocks as its weight: an allgather [zhao2024]; reversed, a
// reduce-scatter.
Cut allgather_cut(const Network& network, const std::vector<std::int64_t>& weights);

// For each node of `sinks`, the minimum cut between all supplies and the node. `demand` is the sum
// of the supplies inside, `capacity` that of the links that lead out. The node has no supply
// itself.
std::vector<Cut> cuts_to(const Network& network, const std::vector<std::int64_t>& supplies,
                         const std::vector<int>& sinks);

}  // namespace toccata
