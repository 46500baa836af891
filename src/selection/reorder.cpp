#include "selection/reorder.h"

#include <algorithm>

#include "algorithms/count.h"
#include "algorithms/registry.h"
#include "analysis/cost.h"
#include "analysis/flows.h"
#include "topology/division.h"
#include "topology/reorder/fold.h"

namespace toccata {

namespace {

constexpr double worth_it = 0.95;
constexpr std::int64_t affordable = 300'000;  // messages that are walked, of all ranks

Mapping by_traffic(const Algorithm& algorithm, const Shape& shape) {
  return map_flows(*shape.placement, flows_of(algorithm, shape), {.root = shape.root});
}

// The flat allgather that leaders do, if the algorithm says so in a parameter of that name.
const Pattern* pattern_of_leaders(const Algorithm& algorithm, const Shape& shape) {
  for (const Parameter& each : algorithm.parameters)
    if (each.name == "exchange")
      if (const Algorithm* flat =
              find_algorithm(algorithm.collective, each.text(shape.parameters[each])))
        return find_pattern(flat->pattern);
  return nullptr;
}

// Node after node as `among` maps their leaders, in each as `inside` maps its ranks.
Mapping by_nodes(const Shape& shape, const Pattern& among, const Pattern& inside) {
  const Placement& placement = *shape.placement;
  const std::shared_ptr<const Regions> shared = node_regions(shape.placement, shape.p);
  const Regions& nodes = *shared;
  std::vector<int> leaders;
  const int first = nodes.of(shape.root);
  for (int node = 0; node < nodes.number(); ++node)
    leaders.push_back(node == first ? shape.root : nodes.members(node).front());
  Mapping result;
  for (const int node : among.map(placement.among(leaders), {.root = first})) {
    const auto members = nodes.members(node);
    const int leader =
        static_cast<int>(std::ranges::find(members, leaders[node]) - members.begin());
    for (const int local : inside.map(placement.among(members), {.root = leader}))
      result.push_back(members[local]);
  }
  return result;
}

bool is_possible(const Pattern& pattern, int p) {
  return pattern.map != rdmh || std::has_single_bit(static_cast<unsigned>(p));
}

}  // namespace

const std::vector<std::string_view>& reorder_words() {
  static const std::vector<std::string_view> words{"off", "auto", "straight", "exchange",
                                                   "shuffle"};
  return words;
}

std::vector<Mapping> mappings_for(const Algorithm& algorithm, const Shape& shape,
                                  const Pattern* pattern) {
  const MappingOptions options{.root = shape.root};
  if (pattern != nullptr) {
    if (!is_possible(*pattern, shape.p)) return {};
    return {pattern->map(*shape.placement, options)};
  }
  if (const Pattern* own = find_pattern(algorithm.pattern))
    return {own->map(*shape.placement, options)};
  if (algorithm.by_placement) {
    const Pattern* among = pattern_of_leaders(algorithm, shape);
    const int nodes = node_regions(shape.placement, shape.p)->number();
    if (among == nullptr || !is_possible(*among, nodes)) among = find_pattern("ring");
    return {by_nodes(shape, *among, *find_pattern("binomial_gather")),
            by_nodes(shape, *among, *find_pattern("binomial_bcast"))};
  }
  return {by_traffic(algorithm, shape)};
}

std::vector<Order> orders_for(const Algorithm& algorithm) {
  std::vector<Order> result;
  const bool reduces_in_order = algorithm.collective.reduces && algorithm.ordered;
  for (const Order each : all_orders)
    if (why_impossible(algorithm, each).empty() &&
        (!reduces_in_order || keeps_order_of_ranks(algorithm, each)))
      result.push_back(each);
  return result;
}

namespace {

double predicted(const Algorithm& algorithm, const Shape& shape, const Model& model,
                 std::int64_t bytes) {
  const Prediction found = predict(algorithm, shape, bytes, model);
  return found.error.empty() ? found.seconds : std::numeric_limits<double>::infinity();
}

// By hop-bytes, and the order that leaves schedules short.
Shape by_hops(const Algorithm& algorithm, const Shape& shape,
              const std::vector<Mapping>& mappings) {
  if (mappings.empty() || algorithm.by_placement || algorithm.by_grid) return shape;
  const Flows flows = algorithm.pattern == "ring" ? flows_between_neighbours({{shape.p}, {true}})
                                                  : flows_of(algorithm, shape);
  const std::vector<Order> orders = orders_for(algorithm);
  const bool exchanges = std::ranges::find(orders, Order::exchange) != orders.end();
  if (hop_bytes(*shape.placement, flows, mappings.front()) >=
      worth_it * hop_bytes(*shape.placement, flows, identity(shape.p)))
    return shape;
  return reordered(algorithm, shape, mappings.front(),
                   exchanges ? Order::exchange : orders.front());
}

}  // namespace

Shape reorder(const Algorithm& algorithm, const Shape& shape, Reorder how, const Model& model,
              std::int64_t bytes, const Pattern* pattern) {
  if (how == Reorder::off || shape.placement == nullptr || shape.p < 3) return shape;
  std::vector<Mapping> mappings = mappings_for(algorithm, shape, pattern);
  std::erase(mappings, identity(shape.p));
  if (mappings.empty()) return shape;
  if (how != Reorder::automatic)
    return reordered(algorithm, shape, mappings.front(),
                     how == Reorder::straight   ? Order::straight
                     : how == Reorder::exchange ? Order::exchange
                                                : Order::shuffle);
  if (count(algorithm, shape).messages * shape.p > affordable)
    return by_hops(algorithm, shape, mappings);
  Shape best = shape;
  double least = worth_it * predicted(algorithm, shape, model, bytes);
  for (const Mapping& mapping : mappings)
    for (const Order order : orders_for(algorithm)) {
      const Shape candidate = reordered(algorithm, shape, mapping, order);
      if (!algorithm.why_impossible(candidate.reordering->played).empty()) continue;
      if (const double seconds = predicted(algorithm, candidate, model, bytes); seconds < least) {
        least = seconds;
        best = candidate;
      }
    }
  return best;
}

}  // namespace toccata
