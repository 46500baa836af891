#include "choices/reorder.h"

#include <algorithm>
#include <utility>

#include "networks/flows.h"
#include "topology/division.h"
#include "writing/registry.h"

namespace toccata {

namespace {

Mapping by_traffic(const Algorithm& algorithm, const Shape& shape) {
  return map_flows(*shape.placement, flows_of(algorithm, shape), {.root = shape.root});
}

// The pattern of the flat allgather among leaders, if a parameter of the algorithm names this
// allgather.
const Pattern* pattern_of_leaders(const Algorithm& algorithm, const Shape& shape) {
  for (const Parameter& each : algorithm.parameters)
    if (each.name == "exchange")
      if (const Algorithm* flat =
              find_algorithm(algorithm.collective, each.text(shape.parameters[each])))
        return find_pattern(flat->pattern);
  return nullptr;
}

// Nodes in the order that `among` gives their leaders; inside each, ranks in the order of `inside`.
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
    if (!pattern->is_possible(shape.p)) return {};
    return {pattern->map(*shape.placement, options)};
  }
  if (const Pattern* own = find_pattern(algorithm.pattern))
    return {own->map(*shape.placement, options)};
  if (algorithm.by_placement) {
    const Pattern* among = pattern_of_leaders(algorithm, shape);
    const int nodes = node_regions(shape.placement, shape.p)->number();
    if (among == nullptr || !among->is_possible(nodes)) among = find_pattern("ring");
    return {by_nodes(shape, *among, *find_pattern("binomial_gather")),
            by_nodes(shape, *among, *find_pattern("binomial_bcast"))};
  }
  return {by_traffic(algorithm, shape)};
}

Mapping mapping_for(const Algorithm& algorithm, const Shape& shape, const Pattern* pattern) {
  std::vector<Mapping> found = mappings_for(algorithm, shape, pattern);
  return found.empty() ? identity(shape.p) : std::move(found.front());
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

Shape reorder(const Algorithm& algorithm, const Shape& shape, Order order, const Pattern* pattern) {
  if (shape.placement == nullptr || shape.p < 3) return shape;
  const Mapping mapping = mapping_for(algorithm, shape, pattern);
  return mapping == identity(shape.p) ? shape : reordered(algorithm, shape, mapping, order);
}

}  // namespace toccata
