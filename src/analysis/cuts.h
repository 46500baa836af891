#pragma once

#include <cstdint>
#include <vector>

#include "analysis/network.h"

namespace toccata {

// The largest flows in a network. Capacities and flows are whole numbers.
class MaxFlow {
 public:
  explicit MaxFlow(int vertices) : first_(vertices, -1) {}

  int vertices() const { return static_cast<int>(first_.size()); }
  int add_vertex();
  // Returns the arc's number, by which its capacity can be set anew.
  int add(int from, int to, std::int64_t capacity);
  void set(int arc, std::int64_t capacity);

  // From no flow, the largest one between two vertices; no more than `most` is looked for.
  std::int64_t run(int from, int to, std::int64_t most = INT64_MAX);
  // After a flow that was not cut short: the vertices on the source's side of a smallest cut.
  std::vector<bool> side(int from) const;

 private:
  bool level(int from, int to);
  std::int64_t push(int from, int to, std::int64_t most);

  struct Arc {
    int to, next;
    std::int64_t capacity, left;
  };
  std::vector<int> first_;  // arc, by vertex
  std::vector<Arc> arcs_;   // the one back stands next to each
  std::vector<int> level_, at_, queue_;
};

// A cut of the network: `demand` has to leave the vertices inside over links of so much capacity.
// No algorithm takes less than demand / capacity.
struct Cut {
  std::int64_t demand = 0, capacity = 1;
  std::vector<bool> inside = {};  // by vertex

  double ratio() const { return static_cast<double>(demand) / static_cast<double>(capacity); }
};

// The tightest cuts, with `weights` by node: how many blocks each of them has, or is to get. Nodes
// of weight 0 only pass on. std::invalid_argument, in one line, where a node cannot be reached.

// A message of 1 from the root to all others: a broadcast; reversed, a reduction [edmonds1973].
Cut broadcast_cut(const Network& network, const std::vector<std::int64_t>& weights, int root);
// As many blocks to each of the others: a scatter; reversed, a gather.
Cut scatter_cut(const Network& network, const std::vector<std::int64_t>& weights, int root);
// As many blocks from each to all others: an allgather [zhao2024]; reversed, a reduce-scatter.
Cut allgather_cut(const Network& network, const std::vector<std::int64_t>& weights);

// For each of some nodes, the smallest cut between all supplies and it: `demand` is what the
// supplies inside have, `capacity` that of the links that lead out. The node has no supply itself.
std::vector<Cut> cuts_to(const Network& network, const std::vector<std::int64_t>& supplies,
                         const std::vector<int>& sinks);

}  // namespace toccata
