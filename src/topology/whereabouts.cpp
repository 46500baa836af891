#include "topology/whereabouts.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <unordered_map>

#include "text/digest.h"
#include "topology/placements.h"

namespace toccata {

std::string boot_id() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(stream, id);
  return id;
}

std::uint64_t node_of(const std::string& host) { return digest(host + "\n" + boot_id()); }

Machine with_hosts(const Placement& placement, const std::vector<std::string>& hosts) {
  const Machine& machine = placement.machine();
  const int node = node_level(machine);
  std::vector<Machine::Level> levels;
  for (int level = 0; level < machine.levels(); ++level) levels.push_back(machine.level(level));
  if (node >= 0 && levels[node].labels.empty()) {
    std::vector<std::string> labels(levels[node].outer.size());
    for (int rank = 0; rank < placement.p(); ++rank) {
      const Place& place = placement.place(rank);
      labels[machine.ancestor(place.level, place.object, node)] = hosts[rank];
    }
    if (std::set(labels.begin(), labels.end()).size() == labels.size())
      levels[node].labels = std::move(labels);
  }
  return Machine(std::move(levels), machine.network());
}

void Whereabouts::settle(const Machine& node_machine, const std::optional<Place>& place) {
  has = 0;
  objects.fill(0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const int level = node_machine.find(levels[i]);
    if (level >= 0) has |= 1u << i;
    if (!place || level > place->level)
      objects[i] = -1;
    else if (level >= 0)
      objects[i] = node_machine.ancestor(place->level, place->object, level);
  }
  // If it is unbound at a level, it is unbound at all inner levels.
  const auto first = std::ranges::find(objects, -1);
  std::fill(first, objects.end(), -1);
}

Machine down_to(const Machine& machine, int level) {
  std::vector<Machine::Level> levels;
  for (int i = 0; i <= level; ++i) levels.push_back(machine.level(i));
  return Machine(std::move(levels), machine.network(), machine.trees());
}

namespace {

// The nodes, numbered from 0 in the order of their lowest ranks.
std::vector<std::int32_t> numbered_nodes(std::span<const Whereabouts> ranks) {
  std::unordered_map<std::uint64_t, std::int32_t> numbers;
  std::vector<std::int32_t> result;
  result.reserve(ranks.size());
  for (const Whereabouts& each : ranks)
    result.push_back(
        numbers.emplace(each.node, static_cast<std::int32_t>(numbers.size())).first->second);
  return result;
}

}  // namespace

Placement placement_of(std::span<const Whereabouts> ranks, const Machine* network) {
  const int p = static_cast<int>(ranks.size());
  std::vector<Machine::Level> levels;
  std::vector<std::int32_t> nodes;
  if (network != nullptr) {
    for (int level = 0; level < network->levels(); ++level) levels.push_back(network->level(level));
    for (const Whereabouts& each : ranks) nodes.push_back(each.host);
  } else {
    nodes = numbered_nodes(ranks);
    const int count = nodes.empty() ? 1 : *std::ranges::max_element(nodes) + 1;
    levels.push_back({"node", std::vector<std::int32_t>(count, 0)});
  }
  const int node_level = static_cast<int>(levels.size()) - 1;

  std::uint32_t has = 0;
  for (const Whereabouts& each : ranks) has |= each.has;
  std::vector<int> inner;  // the numbers of the levels that any node has
  for (int i = 0; i < static_cast<int>(Whereabouts::levels.size()); ++i)
    if ((has >> i & 1) != 0) {
      inner.push_back(i);
      levels.push_back({std::string(Whereabouts::levels[i]), {}});
    }

  // In the order of the tree, a new object begins where the path differs from the previous one.
  using Way = std::array<std::int32_t, 1 + Whereabouts::levels.size()>;
  std::vector<std::pair<Way, int>> ways(p);
  for (int rank = 0; rank < p; ++rank) {
    Way& way = ways[rank].first;
    way.fill(-1);
    way[0] = nodes[rank];
    for (std::size_t i = 0; i < inner.size(); ++i) way[i + 1] = ranks[rank].objects[inner[i]];
    ways[rank].second = rank;
  }
  std::ranges::sort(ways);
  std::vector<Place> places(p);
  Way last;
  last.fill(-1);
  for (const auto& [way, rank] : ways) {
    Place place{node_level, way[0]};
    bool same = way[0] == last[0];
    for (std::size_t i = 0; i < inner.size() && way[i + 1] >= 0; ++i) {
      std::vector<std::int32_t>& outer = levels[node_level + 1 + i].outer;
      same = same && way[i + 1] == last[i + 1];
      if (!same) outer.push_back(place.object);
      place = {node_level + 1 + static_cast<int>(i), static_cast<int>(outer.size()) - 1};
    }
    places[rank] = place;
    last = way;
  }
  while (levels.back().outer.empty()) levels.pop_back();  // if no rank is bound
  return {std::make_shared<const Machine>(std::move(levels),
                                          network != nullptr ? network->network() : std::nullopt,
                                          network != nullptr ? network->trees() : nullptr),
          std::move(places)};
}

}  // namespace toccata
