#include "networks/packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "networks/cuts.h"

namespace toccata {

namespace {

[[noreturn]] void impossible(const std::string& why) {
  throw std::invalid_argument("no trees can be packed: " + why);
}

// Trees that are equal so far.
struct Batch {
  std::int64_t weight;
  std::vector<bool> has;              // by node
  std::vector<std::int32_t> parents;  // by node
  std::vector<int> order;             // nodes as they were added
  std::size_t tried = 0;              // of these, the nodes whose links were all tried

  bool spans() const { return order.size() == parents.size(); }
};

// The amount that can flow to a node from another node and from all batches except the growing one.
// The flow uses the remaining capacities, and one vertex per batch. The number of trees of the
// batch limits the flow from this vertex to the nodes of the batch. The search runs backwards from
// the node, and visits the nodes nearest to a batch first.
class Supply {
 public:
  Supply(const Network& network, const std::vector<std::int64_t>& left,
         const std::vector<Batch>& others)
      : nodes_(network.nodes()), arcs_of_(nodes_) {
    for (std::size_t i = 0; i < network.links().size(); ++i)
      add(network.links()[i].from, network.links()[i].to, left[i]);
    source_ = add_vertex();
    for (const Batch& each : others) add_batch(each);
    order_by_distance();
  }

  // Adds a batch that does not grow now. Each of its nodes supplies its trees.
  void add_batch(const Batch& batch) {
    const int vertex = add_vertex();
    add(source_, vertex, batch.weight);
    for (const int node : batch.order) add(vertex, node, INT64_MAX / 4);
    for (const int node : batch.order)
      std::ranges::rotate(arcs_of_[node], arcs_of_[node].end() - 1);
    all_ += batch.weight;
  }

  std::int64_t all() const { return all_; }
  // The remaining capacity of a link.
  std::int64_t left(std::size_t link) const { return arcs_[2 * link].capacity; }
  void take(std::size_t link, std::int64_t amount) {
    arcs_[2 * link].capacity -= amount;
    arcs_[2 * link].room = arcs_[2 * link].capacity;
  }

  // The flow to `node`, at most `most`.
  std::int64_t to(int node, int from, std::int64_t most) {
    std::int64_t flow = 0;
    from_ = from;
    while (flow < most) {
      seen_.assign(arcs_of_.size(), false);
      const std::int64_t more = bring(node, most - flow);
      if (more == 0) break;
      flow += more;
    }
    for (const int arc : touched_) arcs_[arc].room = arcs_[arc].capacity;
    touched_.clear();
    return flow;
  }

 private:
  struct Arc {
    int to;
    std::int64_t capacity, room;
  };

  int add_vertex() {
    arcs_of_.emplace_back();
    return static_cast<int>(arcs_of_.size()) - 1;
  }
  void add(int from, int to, std::int64_t capacity) {
    arcs_of_[from].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({to, capacity, capacity});
    arcs_of_[to].push_back(static_cast<int>(arcs_.size()));
    arcs_.push_back({from, 0, 0});
  }

  void order_by_distance() {
    std::vector<int> distance(arcs_of_.size(), static_cast<int>(arcs_of_.size())), reached{source_};
    distance[source_] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int arc : arcs_of_[reached[i]])
        if (arcs_[arc].capacity > 0 && distance[arcs_[arc].to] > distance[reached[i]] + 1) {
          distance[arcs_[arc].to] = distance[reached[i]] + 1;
          reached.push_back(arcs_[arc].to);
        }
    for (std::vector<int>& arcs : arcs_of_)
      std::ranges::stable_sort(arcs, {}, [&](int arc) { return distance[arcs_[arc].to]; });
  }

  std::int64_t bring(int vertex, std::int64_t most) {
    if (vertex == source_ || vertex == from_) return most;
    seen_[vertex] = true;
    for (const int arc : arcs_of_[vertex]) {
      const int before = arcs_[arc].to;
      const int way = arc ^ 1;  // from there to this vertex
      if (arcs_[way].room == 0 || seen_[before]) continue;
      const std::int64_t more = bring(before, std::min(most, arcs_[way].room));
      if (more == 0) continue;
      arcs_[way].room -= more;
      arcs_[arc].room += more;
      touched_.push_back(arc);
      touched_.push_back(way);
      return more;
    }
    return 0;
  }

  int nodes_, source_ = -1, from_ = -1;
  std::int64_t all_ = 0;
  std::vector<std::vector<int>> arcs_of_;  // arcs that leave a vertex, and reverse arcs
  std::vector<Arc> arcs_;
  std::vector<bool> seen_;
  std::vector<int> touched_;
};

// If no more trees than these begin to grow, they grow in turns, node by node: so all trees find
// short ways. With more trees, this takes long.
constexpr std::size_t most_in_turns = 32;

// Grows a batch until it has `enough` nodes. Trees that cannot take a link now can never take it.
// They are split off as a new batch.
void grow(const Network& network, std::vector<std::int64_t>& left, std::size_t enough, Batch& batch,
          std::vector<Batch>& others) {
  Supply supply(network, left, others);
  for (; batch.order.size() < enough && batch.tried < batch.order.size(); ++batch.tried)
    for (const int link : network.out(batch.order[batch.tried])) {
      const auto [from, to, capacity] = network.links()[link];
      if (batch.has[to] || left[link] == 0) continue;
      std::int64_t taken = std::min(left[link], batch.weight);
      if (supply.all() > 0)
        taken = std::min(taken, supply.to(to, from, supply.all() + taken) - supply.all());
      if (taken <= 0) continue;
      if (taken < batch.weight) {
        others.push_back(batch);
        others.back().weight -= taken;
        supply.add_batch(others.back());
        batch.weight = taken;
      }
      supply.take(link, taken);
      left[link] -= taken;
      batch.has[to] = true;
      batch.parents[to] = from;
      batch.order.push_back(to);
    }
}

}  // namespace

std::vector<PackedTree> pack_trees(const Network& network, const std::vector<std::int64_t>& roots) {
  if (network.vertices() != network.nodes()) impossible("the network has switches");
  if (static_cast<int>(roots.size()) != network.nodes())
    impossible("the numbers of roots and nodes differ");
  std::vector<Batch> growing;
  for (int node = 0; node < network.nodes(); ++node) {
    if (roots[node] == 0) continue;
    Batch batch{roots[node],
                std::vector<bool>(network.nodes()),
                std::vector<std::int32_t>(network.nodes(), -1),
                {node}};
    batch.has[node] = true;
    growing.push_back(std::move(batch));
  }
  const std::int64_t all = std::accumulate(roots.begin(), roots.end(), std::int64_t{0});
  // At least as many links must lead into a set of nodes as trees begin outside the set
  // [edmonds1973].
  std::vector<int> nodes(network.nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  for (const Cut& each : cuts_to(network, roots, nodes))
    if (each.demand > each.capacity)
      impossible(std::to_string(each.demand) + " of " + std::to_string(all) +
                 " trees must leave nodes over links that carry only " +
                 std::to_string(each.capacity) +
                 (each.capacity == 0 ? ": the network is disconnected" : ""));
  std::vector<std::int64_t> left;
  for (const NetworkLink& each : network.links()) left.push_back(each.capacity);
  std::vector<PackedTree> trees;
  const bool in_turns = growing.size() <= most_in_turns;
  while (!growing.empty()) {
    if (in_turns) std::ranges::rotate(growing, growing.begin() + 1);
    Batch batch = std::move(growing.back());
    growing.pop_back();
    grow(network, left, in_turns ? batch.order.size() + 1 : nodes.size(), batch, growing);
    if (batch.spans())
      trees.emplace_back(static_cast<int>(batch.weight), std::move(batch.parents));
    else if (batch.tried < batch.order.size())
      growing.push_back(std::move(batch));
    else
      throw std::logic_error("a tree cannot be completed");
  }
  return trees;
}

std::optional<std::vector<std::int64_t>> balanced_roots(const Network& network,
                                                        std::int64_t trees) {
  // Trees exist if every node is the root of `trees` of them. Each node in turn then gets as few
  // roots as possible. The sum does not depend on the order of the nodes [frank1978].
  std::vector<std::int64_t> roots(network.nodes(), trees), into(network.nodes());
  MaxFlow flow(network.vertices());
  for (const NetworkLink& each : network.links()) {
    flow.add(each.from, each.to, each.capacity);
    if (each.to < network.nodes()) into[each.to] += each.capacity;
  }
  const int source = flow.add_vertex();
  std::vector<int> supplies;
  for (int node = 0; node < network.nodes(); ++node)
    supplies.push_back(flow.add(source, node, trees));
  std::vector<int> turns(network.nodes());
  std::iota(turns.begin(), turns.end(), 0);
  std::ranges::stable_sort(turns, std::greater(), [&](int node) { return into[node]; });
  std::int64_t sum = 0;
  for (const int node : turns) {
    const std::int64_t spare = flow.run(source, node, 2 * trees) - trees;
    roots[node] -= std::min(roots[node], spare);
    flow.set(supplies[node], roots[node]);
    sum += roots[node];
  }
  if (sum > trees) return std::nullopt;
  for (int i = 0; sum < trees; ++sum) ++roots[turns[turns.size() - 1 - i++ % turns.size()]];
  return roots;
}

std::string why_wrong(const Network& network, const std::vector<std::int64_t>& roots,
                      const std::vector<PackedTree>& trees) {
  std::map<std::pair<int, int>, std::int64_t> left;
  for (const NetworkLink& each : network.links()) left[{each.from, each.to}] = each.capacity;
  std::vector<std::int64_t> begun(network.nodes());
  for (const PackedTree& tree : trees) {
    if (tree.nodes() != network.nodes()) return "a tree and the network differ in size";
    begun[tree.root()] += tree.weight();
    for (int node = 0; node < tree.nodes(); ++node) {
      if (tree.parent(node) < 0) continue;
      const auto link = left.find({tree.parent(node), node});
      const std::string name =
          "from " + std::to_string(tree.parent(node)) + " to " + std::to_string(node);
      if (link == left.end()) return "there is no link " + name;
      if ((link->second -= tree.weight()) < 0) return "the link " + name + " is used too often";
    }
  }
  for (int node = 0; node < network.nodes(); ++node)
    if (begun[node] != roots[node])
      return std::to_string(begun[node]) + " trees begin at node " + std::to_string(node) +
             ", not " + std::to_string(roots[node]);
  return "";
}

}  // namespace toccata
