#include "networks/cuts.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace toccata {

int MaxFlow::add_vertex() {
  first_.push_back(-1);
  return vertices() - 1;
}

int MaxFlow::add(int from, int to, std::int64_t capacity) {
  const int arc = static_cast<int>(arcs_.size());
  arcs_.push_back({to, first_[from], capacity, capacity});
  arcs_.push_back({from, first_[to], 0, 0});
  first_[from] = arc;
  first_[to] = arc + 1;
  return arc;
}

void MaxFlow::set(int arc, std::int64_t capacity) { arcs_[arc].capacity = capacity; }

bool MaxFlow::level(int from, int to) {
  level_.assign(first_.size(), -1);
  level_[from] = 0;
  queue_.assign(1, from);
  for (std::size_t i = 0; i < queue_.size(); ++i)
    for (int arc = first_[queue_[i]]; arc >= 0; arc = arcs_[arc].next)
      if (arcs_[arc].left > 0 && level_[arcs_[arc].to] < 0) {
        level_[arcs_[arc].to] = level_[queue_[i]] + 1;
        if (arcs_[arc].to == to) return true;
        queue_.push_back(arcs_[arc].to);
      }
  return false;
}

std::int64_t MaxFlow::push(int from, int to, std::int64_t most) {
  if (from == to) return most;
  std::int64_t pushed = 0;
  for (int& arc = at_[from]; arc >= 0; arc = arcs_[arc].next) {
    Arc& each = arcs_[arc];
    if (each.left == 0 || level_[each.to] != level_[from] + 1) continue;
    const std::int64_t more = push(each.to, to, std::min(most - pushed, each.left));
    each.left -= more;
    arcs_[arc ^ 1].left += more;
    pushed += more;
    if (pushed == most) break;  // this arc may have room left
  }
  return pushed;
}

std::int64_t MaxFlow::run(int from, int to, std::int64_t most) {
  for (Arc& each : arcs_) each.left = each.capacity;
  std::int64_t flow = 0;
  while (flow < most && level(from, to)) {
    at_ = first_;
    flow += push(from, to, most - flow);
  }
  return flow;
}

std::vector<bool> MaxFlow::side(int from) const {
  std::vector<bool> inside(first_.size());
  std::vector<int> reached{from};
  inside[from] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (int arc = first_[reached[i]]; arc >= 0; arc = arcs_[arc].next)
      if (arcs_[arc].left > 0 && !inside[arcs_[arc].to]) {
        inside[arcs_[arc].to] = true;
        reached.push_back(arcs_[arc].to);
      }
  return inside;
}

namespace {

// A network's links as arcs. scale() multiplies their capacities by a factor.
class Arcs : public MaxFlow {
 public:
  explicit Arcs(const Network& network) : MaxFlow(network.vertices()), network_(network) {
    for (const NetworkLink& each : network.links())
      numbers_.push_back(add(each.from, each.to, each.capacity));
  }
  void scale(std::int64_t factor) {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      set(numbers_[i], network_.links()[i].capacity * factor);
  }

 private:
  const Network& network_;
  std::vector<int> numbers_;
};

std::int64_t capacity_out_of(const Network& network, const std::vector<bool>& inside) {
  std::int64_t sum = 0;
  for (const NetworkLink& each : network.links())
    if (inside[each.from] && !inside[each.to]) sum += each.capacity;
  return sum;
}

[[noreturn]] void unreachable(int node) {
  throw std::invalid_argument("node " + std::to_string(node) +
                              " cannot be reached from all others: the network is disconnected");
}

// Reduces the fraction, so that products stay small.
void shorten(Cut& cut) {
  const std::int64_t divisor = std::gcd(cut.demand, cut.capacity);
  if (divisor > 1) {
    cut.demand /= divisor;
    cut.capacity /= divisor;
  }
}

void check(const Network& network, const std::vector<std::int64_t>& weights) {
  if (static_cast<int>(weights.size()) != network.nodes())
    throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights for " +
                                std::to_string(network.nodes()) + " nodes");
}

}  // namespace

Cut broadcast_cut(const Network& network, const std::vector<std::int64_t>& weights, int root) {
  check(network, weights);
  Arcs arcs(network);
  Cut best{0, 1, {}};
  for (int node = 0; node < network.nodes(); ++node) {
    if (node == root || weights[node] == 0) continue;
    const std::int64_t most = best.demand == 0 ? INT64_MAX : best.capacity;
    const std::int64_t flow = arcs.run(root, node, most);
    if (flow == 0) unreachable(node);
    if (flow < most) best = {1, flow, arcs.side(root)};
  }
  best.inside.resize(network.vertices());
  return best;
}

Cut scatter_cut(const Network& network, const std::vector<std::int64_t>& weights, int root) {
  check(network, weights);
  // The first cut surrounds the root, because all data must leave it. If a flow at the rate of this
  // cut does not reach all nodes, the minimum cut of the flow is tighter.
  std::int64_t all = 0;
  for (int node = 0; node < network.nodes(); ++node)
    if (node != root) all += weights[node];
  Cut best{all, 0, std::vector<bool>(network.vertices())};
  best.inside[root] = true;
  best.capacity = capacity_out_of(network, best.inside);
  if (all == 0) return {0, 1, std::move(best.inside)};
  Arcs arcs(network);
  const int sink = arcs.add_vertex();
  std::vector<int> demands(network.nodes(), -1);
  for (int node = 0; node < network.nodes(); ++node)
    if (node != root && weights[node] > 0) demands[node] = arcs.add(node, sink, 0);
  while (true) {
    if (best.capacity == 0)
      for (int node = 0; node < network.nodes(); ++node)
        if (!best.inside[node] && weights[node] > 0) unreachable(node);
    Cut scaled = best;
    shorten(scaled);
    arcs.scale(scaled.demand);
    for (int node = 0; node < network.nodes(); ++node)
      if (demands[node] >= 0) arcs.set(demands[node], weights[node] * scaled.capacity);
    if (arcs.run(root, sink) == all * scaled.capacity) return best;
    Cut cut{0, 0, arcs.side(root)};
    cut.inside.resize(network.vertices());
    for (int node = 0; node < network.nodes(); ++node)
      if (!cut.inside[node]) cut.demand += weights[node];
    cut.capacity = capacity_out_of(network, cut.inside);
    best = std::move(cut);
  }
}

Cut allgather_cut(const Network& network, const std::vector<std::int64_t>& weights) {
  check(network, weights);
  std::vector<int> takers;
  for (int node = 0; node < network.nodes(); ++node)
    if (weights[node] > 0) takers.push_back(node);
  Cut best{0, 1, std::vector<bool>(network.vertices())};
  if (takers.size() < 2) return best;
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  const auto improve = [&](Cut cut) {
    if (cut.capacity == 0)
      for (const int node : takers)
        if (!cut.inside[node]) unreachable(node);
    if (cut.demand * best.capacity > best.demand * cut.capacity) best = std::move(cut);
  };
  for (const int node : takers) {  // all other data must enter a node
    Cut cut{all - weights[node], 0, std::vector<bool>(network.vertices(), true)};
    cut.inside[node] = false;
    cut.capacity = capacity_out_of(network, cut.inside);
    improve(std::move(cut));
  }
  // If a tighter cut excludes a node, not all blocks can flow to that node at the rate of the best
  // cut so far. The minimum cut of that flow is then tighter.
  Arcs arcs(network);
  const int source = arcs.add_vertex();
  std::vector<int> supplies(network.nodes(), -1);
  for (const int node : takers) supplies[node] = arcs.add(source, node, 0);
  for (const int taker : takers)
    while (true) {
      Cut scaled = best;
      shorten(scaled);
      arcs.scale(scaled.demand);
      for (const int node : takers)
        arcs.set(supplies[node], node == taker ? 0 : weights[node] * scaled.capacity);
      if (arcs.run(source, taker) == (all - weights[taker]) * scaled.capacity) break;
      Cut cut{0, 0, arcs.side(source)};
      cut.inside.resize(network.vertices());
      for (const int node : takers)
        if (cut.inside[node]) cut.demand += weights[node];
      cut.capacity = capacity_out_of(network, cut.inside);
      improve(std::move(cut));
    }
  return best;
}

std::vector<Cut> cuts_to(const Network& network, const std::vector<std::int64_t>& supplies,
                         const std::vector<int>& sinks) {
  check(network, supplies);
  Arcs arcs(network);
  const int source = arcs.add_vertex();
  std::vector<int> numbers;
  for (int node = 0; node < network.nodes(); ++node)
    numbers.push_back(arcs.add(source, node, supplies[node]));
  std::vector<Cut> result;
  for (const int sink : sinks) {
    arcs.set(numbers[sink], 0);
    arcs.run(source, sink);
    Cut cut{0, 0, arcs.side(source)};
    cut.inside.resize(network.vertices());
    for (int node = 0; node < network.nodes(); ++node)
      if (cut.inside[node]) cut.demand += supplies[node];
    cut.capacity = capacity_out_of(network, cut.inside);
    result.push_back(std::move(cut));
    arcs.set(numbers[sink], supplies[sink]);
  }
  return result;
}

}  // namespace toccata
