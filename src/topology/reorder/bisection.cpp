#include "topology/reorder/bisection.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <queue>

namespace toccata {

namespace {

using Edge = WeightedGraph::Edge;

constexpr int few = 60;      // vertices that are divided directly
constexpr int attempts = 6;  // of such a division
constexpr int passes = 4;    // of moves, for each graph

// Pairs of vertices that are merged.
class Pairs {
 public:
  Pairs(const WeightedGraph& graph, std::mt19937& random)
      : graph_(graph), number_(graph.vertices(), -1) {
    const int total = std::accumulate(graph.size.begin(), graph.size.end(), 0);
    largest_ = std::max(2, 2 * total / few);
    std::vector<int> order(graph.vertices());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    for (const int vertex : order)
      if (const int partner = partner_of(vertex); partner >= 0) merge(vertex, partner);
    std::vector<int> alone;
    for (const int vertex : order)
      if (number_[vertex] < 0) alone.push_back(vertex);
    if (2 * std::ssize(alone) > graph.vertices()) merge_around_hubs(alone);
    for (const int vertex : alone)
      if (number_[vertex] < 0) merge(vertex, vertex);
  }

  // Whether there are clearly fewer pairs than vertices.
  bool suffice() const { return pairs_.size() <= number_.size() * 9 / 10; }
  const std::vector<int>& number() const { return number_; }  // of each vertex's pair
  WeightedGraph merged() const;

 private:
  void merge(int one, int other) {
    number_[one] = number_[other] = static_cast<int>(pairs_.size());
    pairs_.push_back({one, other});
  }
  bool may_merge(int one, int other) const {
    return one != other && number_[one] < 0 && number_[other] < 0 &&
           graph_.size[one] + graph_.size[other] <= largest_;
  }
  // The vertex with the heaviest edge, in proportion to its size.
  int partner_of(int vertex) const {
    int partner = -1;
    double most = 0;
    for (const Edge& edge : graph_.of(vertex))
      if (const double weight = edge.weight / graph_.size[edge.to];
          weight > most && may_merge(vertex, edge.to)) {
        most = weight;
        partner = edge.to;
      }
    return partner;
  }
  // In a graph with hubs, most vertices are left, and those of one hub are merged.
  void merge_around_hubs(std::vector<int>& alone) {
    const auto hub = [&](int vertex) {
      const auto edges = graph_.of(vertex);
      const auto heaviest = std::ranges::max_element(edges, {}, &Edge::weight);
      return heaviest == edges.end() ? -1 : heaviest->to;
    };
    std::ranges::stable_sort(alone, {}, hub);
    for (std::size_t i = 1; i < alone.size(); ++i)
      if (may_merge(alone[i - 1], alone[i])) merge(alone[i - 1], alone[i]);
  }

  const WeightedGraph& graph_;
  std::vector<int> number_;
  std::vector<std::array<int, 2>> pairs_;  // of a vertex and itself if it is alone
  int largest_;                            // size of a pair
};

WeightedGraph Pairs::merged() const {
  WeightedGraph result;
  result.edges.reserve(graph_.edges.size());
  std::vector<std::ptrdiff_t> position(pairs_.size(), -1);  // of the edge to each pair
  for (const auto& [one, other] : pairs_) {
    const auto begin = std::ssize(result.edges);
    const auto append = [&](int vertex) {
      for (const Edge& edge : graph_.of(vertex)) {
        const int to = number_[edge.to];
        if (to == number_[vertex]) continue;
        if (position[to] < begin) {
          position[to] = std::ssize(result.edges);
          result.edges.push_back({to, 0});
        }
        result.edges[position[to]].weight += edge.weight;
      }
    };
    append(one);
    if (other == one) {
      result.add_vertex(graph_.size[one], graph_.pull[one]);
      continue;
    }
    append(other);
    result.add_vertex(graph_.size[one] + graph_.size[other], graph_.pull[one] + graph_.pull[other]);
  }
  return result;
}

class Division {
 public:
  Division(const WeightedGraph& graph, std::vector<char> side, int zeros)
      : graph_(graph), side_(std::move(side)), zeros_(zeros), gain_(graph.vertices()) {
    const int largest = std::ranges::max(graph.size);
    slack_ = largest == 1 ? 0 : largest;
    for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
      if (side_[vertex] == 0)
        size_ += graph.size[vertex];
      else
        cost_ += graph.pull[vertex];
      for (const Edge& edge : graph.of(vertex))
        if (side_[vertex] != side_[edge.to]) cost_ += edge.weight / 2;
    }
  }

  void improve() {
    for (int i = 0; i < passes && pass(); ++i) {
    }
  }
  bool is_better_than(const Division& other) const {
    return is_better(other.excess(), other.cost_);
  }
  const std::vector<char>& side() const { return side_; }

 private:
  struct Candidate {
    double gain;
    int vertex;
    bool operator<(const Candidate& other) const { return gain < other.gain; }
  };

  // How far the size of side 0 is from the permitted ones. Large vertices need some slack.
  int excess() const { return std::max(0, std::abs(size_ - zeros_) - slack_); }
  // Than a division with these. Sums of doubles are not exact, and the passes must end.
  bool is_better(int excess_there, double cost_there) const {
    return excess() < excess_there ||
           (excess() == excess_there && cost_ < cost_there - 1e-9 * std::abs(cost_there));
  }

  double gain_of(int vertex) const {
    double gain = side_[vertex] == 0 ? -graph_.pull[vertex] : graph_.pull[vertex];
    for (const Edge& edge : graph_.of(vertex))
      gain += side_[edge.to] == side_[vertex] ? -edge.weight : edge.weight;
    return gain;
  }

  void move(int vertex) {
    const char from = side_[vertex];
    side_[vertex] = from == 0 ? 1 : 0;
    size_ += from == 0 ? -graph_.size[vertex] : graph_.size[vertex];
    cost_ -= gain_[vertex];
    gain_[vertex] = -gain_[vertex];
    for (const Edge& edge : graph_.of(vertex))
      gain_[edge.to] += side_[edge.to] == from ? 2 * edge.weight : -2 * edge.weight;
  }

  void collect() {
    moved_.assign(graph_.vertices(), false);
    std::array<std::vector<Candidate>, 2> all;
    for (int vertex = 0; vertex < graph_.vertices(); ++vertex) {
      gain_[vertex] = gain_of(vertex);
      all[side_[vertex]].push_back({gain_[vertex], vertex});
    }
    for (const int side : {0, 1}) candidates_[side] = Candidates({}, std::move(all[side]));
  }
  // Of a side's vertices that have not moved, the one with the largest gain; -1 if there is none.
  int best(int side) {
    for (Candidates& left = candidates_[side]; !left.empty(); left.pop())
      if (const auto& [gain, vertex] = left.top(); !moved_[vertex] && gain == gain_[vertex])
        return vertex;
    return -1;
  }
  int next() {
    const int zero = best(0), one = best(1);
    if (zero < 0 || one < 0) return std::max(zero, one);
    if (std::abs(size_ - zeros_) > slack_ / 2) return size_ > zeros_ ? zero : one;
    return gain_[zero] >= gain_[one] ? zero : one;
  }

  // Moves vertices, each once and the best first, until this is fruitless for long. Returns to the
  // best division on this way. Whether that is better than the first one.
  bool pass() {
    collect();
    int least_excess = excess();
    double least_cost = cost_;
    std::vector<int> moves;
    std::size_t kept = 0;
    const std::size_t patience = 50 + graph_.size.size() / 20;
    for (int vertex; moves.size() < kept + patience && (vertex = next()) >= 0;) {
      moved_[vertex] = true;
      move(vertex);
      moves.push_back(vertex);
      for (const Edge& edge : graph_.of(vertex))
        if (!moved_[edge.to]) candidates_[side_[edge.to]].push({gain_[edge.to], edge.to});
      if (!is_better(least_excess, least_cost)) continue;
      least_excess = excess();
      least_cost = cost_;
      kept = moves.size();
    }
    for (; moves.size() > kept; moves.pop_back()) move(moves.back());
    return kept > 0;
  }

  using Candidates = std::priority_queue<Candidate>;

  const WeightedGraph& graph_;
  std::vector<char> side_;
  int zeros_, slack_;
  int size_ = 0;  // of side 0
  double cost_ = 0;
  std::vector<double> gain_;  // by vertex: what its move saves
  std::vector<bool> moved_;
  std::array<Candidates, 2> candidates_;  // by side; an entry with an old gain does not count
};

// Side 0 grows from a random vertex: next comes the one with the most weight to it.
std::vector<char> grown(const WeightedGraph& graph, int zeros, std::mt19937& random) {
  const int n = graph.vertices();
  std::vector<char> side(n, 1);
  std::vector<double> weight = graph.pull;
  int vertex = static_cast<int>(random() % static_cast<unsigned>(n));
  for (int size = 0; vertex >= 0 && size + graph.size[vertex] / 2 < zeros;) {
    side[vertex] = 0;
    size += graph.size[vertex];
    for (const Edge& edge : graph.of(vertex)) weight[edge.to] += 2 * edge.weight;
    vertex = -1;
    for (int each = 0; each < n; ++each)
      if (side[each] == 1 && (vertex < 0 || weight[each] > weight[vertex])) vertex = each;
  }
  return side;
}

Division divided_directly(const WeightedGraph& graph, int zeros, std::mt19937& random) {
  std::optional<Division> best;
  for (int i = 0; i < attempts; ++i) {
    Division found(graph, grown(graph, zeros, random), zeros);
    found.improve();
    if (!best || found.is_better_than(*best)) best.emplace(std::move(found));
  }
  return *std::move(best);
}

}  // namespace

std::vector<char> bisect(const WeightedGraph& graph, int zeros, std::mt19937& random) {
  if (graph.vertices() <= few) return divided_directly(graph, zeros, random).side();
  std::vector<char> side(graph.vertices());
  {
    const Pairs pairs(graph, random);
    if (!pairs.suffice()) return divided_directly(graph, zeros, random).side();
    const std::vector<char> there = bisect(pairs.merged(), zeros, random);
    for (int vertex = 0; vertex < graph.vertices(); ++vertex)
      side[vertex] = there[pairs.number()[vertex]];
  }
  Division division(graph, std::move(side), zeros);
  division.improve();
  return division.side();
}

}  // namespace toccata
