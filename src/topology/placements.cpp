#include "topology/placements.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "topology/error.h"
#include "topology/synthetic.h"
#include "topology/words.h"

namespace toccata {

namespace {

using Cores = std::vector<int>;

// The order of the places in several objects.
enum class Order { one_by_one, round_robin };

Cores combine(std::span<const Cores> parts, Order order) {
  Cores result;
  if (order == Order::one_by_one) {
    for (const Cores& part : parts) result.insert(result.end(), part.begin(), part.end());
    return result;
  }
  std::size_t longest = 0;
  for (const Cores& part : parts) longest = std::max(longest, part.size());
  for (std::size_t i = 0; i < longest; ++i)
    for (const Cores& part : parts)
      if (i < part.size()) result.push_back(part[i]);
  return result;
}

// All cores, ordered by the objects of `inner`, and these by the objects of `outer`.
Cores in_order(const Machine& machine, Order over_nodes, Order over_sockets) {
  const int outer = node_level(machine);
  const int inner = socket_level(machine);
  const int innermost = machine.innermost();
  // Objects are numbered in the order of the tree, so those of one enclosing object are
  // consecutive.
  std::vector<std::vector<Cores>> nodes;
  for (int core = 0, last_node = -1, last_socket = -1; core < machine.objects(innermost); ++core) {
    const int node = outer < 0 ? 0 : machine.ancestor(innermost, core, outer);
    const int socket = machine.ancestor(innermost, core, inner);
    if (node != last_node) nodes.emplace_back();
    if (node != last_node || socket != last_socket) nodes.back().emplace_back();
    nodes.back().back().push_back(core);
    last_node = node;
    last_socket = socket;
  }
  std::vector<Cores> of_nodes;
  for (const std::vector<Cores>& sockets : nodes)
    of_nodes.push_back(combine(sockets, over_sockets));
  return combine(of_nodes, over_nodes);
}

struct Named {
  std::string_view name;
  Order nodes, sockets;
};

constexpr Named by_name[] = {
    {"block-bunch", Order::one_by_one, Order::one_by_one},
    {"block-scatter", Order::one_by_one, Order::round_robin},
    {"cyclic-bunch", Order::round_robin, Order::one_by_one},
    {"cyclic-scatter", Order::round_robin, Order::round_robin},
    {"sequential", Order::one_by_one, Order::one_by_one},
    {"cyclic", Order::round_robin, Order::one_by_one},
};

[[noreturn]] void fail(std::string_view name, const std::string& why) {
  throw TopologyError("placement " + quoted(name) + " " + why);
}

// "random:17". Uses our own shuffle, because that of the standard library differs between
// platforms.
Cores at_random(const Machine& machine, std::string_view name) {
  const std::string_view seed = name.substr(name.find(':') + 1);
  const std::optional<int> number = seed.empty() ? std::nullopt : parse_number(seed);
  if (!number) fail(name, "needs an integer of at least 0, such as random:1");
  std::mt19937 engine(*number);
  Cores cores(machine.objects(machine.innermost()));
  std::iota(cores.begin(), cores.end(), 0);
  for (std::size_t i = cores.size() - 1; i > 0; --i) std::swap(cores[i], cores[engine() % (i + 1)]);
  return cores;
}

// "8,0-3,5" or "node:0,0,1 core:7"
std::vector<Place> listed(const Machine& machine, std::string_view name) {
  std::vector<Place> places;
  for (std::string_view word : split_words(name)) {
    int level = machine.innermost();
    if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
      level = machine.find(word.substr(0, colon));
      if (level < 0)
        fail(name, "names a level " + quoted(word.substr(0, colon)) +
                       " that the machine does not have: " + text(machine));
      word.remove_prefix(colon + 1);
    }
    for (const std::string_view range : split(word, ',')) {
      const std::size_t dash = range.find('-');
      const auto number = [&](std::string_view digits) {
        const std::optional<int> value = digits.empty() ? std::nullopt : parse_number(digits);
        if (!value) {
          std::string known;
          for (const std::string_view each : placement_names()) known += std::string(each) + ", ";
          fail(name, "does not exist; expected one of " + known +
                         "random:SEED, or a list such as 0-3,8 or node:0,1");
        }
        if (*value >= machine.objects(level))
          fail(name, "names " + std::string(machine.name(level)) + " " + std::string(digits) +
                         ", but they are numbered 0.." +
                         std::to_string(machine.objects(level) - 1));
        return *value;
      };
      const int first = number(range.substr(0, dash));
      const int last = dash == range.npos ? first : number(range.substr(dash + 1));
      if (last < first) fail(name, "has the range " + quoted(range) + " in descending order");
      for (int object = first; object <= last; ++object) places.push_back({level, object});
    }
  }
  return places;
}

}  // namespace

int node_level(const Machine& machine) {
  const int node = machine.find("node");
  return node < 0 && machine.network() ? 0 : node;
}

std::vector<std::string> unknown_levels(const Machine& machine) {
  static constexpr std::array<std::string_view, 25> known{
      // of switches and networks
      "system", "site", "group", "island", "pod", "row", "rack", "cabinet", "chassis", "cell",
      "block", "spine", "leaf", "router", "blade",
      // from the node inwards
      "node", "board", "package", "socket", "die", "numa", "l3", "l2", "core", "pu"};
  // "switch3", "block12"
  const auto is_numbered = [](std::string_view name, std::string_view kind) {
    return name.starts_with(kind) && name.find_first_not_of("0123456789", kind.size()) == name.npos;
  };
  std::vector<std::string> result;
  for (int level = 0; level < machine.levels(); ++level) {
    const std::string_view name = machine.name(level);
    if (!is_numbered(name, "switch") && !is_numbered(name, "block") &&
        std::ranges::find(known, name) == known.end())
      result.emplace_back(name);
  }
  return result;
}

int socket_level(const Machine& machine) {
  const int socket = machine.find("socket");
  return socket >= 0 ? socket : std::min(node_level(machine) + 1, machine.innermost());
}

const std::vector<std::string_view>& placement_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Named& each : by_name) result.push_back(each.name);
    return result;
  }();
  return names;
}

Placement place(std::shared_ptr<const Machine> machine, int p, std::string_view name) {
  std::vector<Place> places;
  const auto named = std::ranges::find(by_name, name, &Named::name);
  const bool random = name.starts_with("random");
  if (named != std::end(by_name) || random) {
    const Cores cores =
        random ? at_random(*machine, name) : in_order(*machine, named->nodes, named->sockets);
    for (const int core : cores) places.push_back({machine->innermost(), core});
  } else {
    places = listed(*machine, name);
  }
  if (static_cast<int>(places.size()) < p)
    fail(name, "has " + std::to_string(places.size()) + " places on " + text(*machine) +
                   ", but there are " + std::to_string(p) + " ranks");
  places.resize(p);
  return {std::move(machine), std::move(places)};
}

std::string text(const Placement& placement) {
  std::string result;
  int level = -1;
  for (int rank = 0; rank < placement.p();) {
    const Place first = placement.place(rank);
    int last = rank;
    while (last + 1 < placement.p() &&
           placement.place(last + 1) == Place{first.level, first.object + last + 1 - rank})
      ++last;
    if (first.level == level) {
      result += ',';
    } else {
      result += (rank > 0 ? " " : "") + std::string(placement.machine().name(first.level)) + ":";
      level = first.level;
    }
    result += std::to_string(first.object);
    if (last > rank) result += "-" + std::to_string(first.object + last - rank);
    rank = last + 1;
  }
  return result;
}

std::shared_ptr<const Grid> grid_of(const Placement& placement) {
  const Machine& machine = placement.machine();
  if (!machine.network()) return nullptr;
  const int cells = machine.objects(0);
  const Regions& regions = placement.regions(0);
  if (regions.number() != cells || !regions.even()) return nullptr;

  const int ranks_a_cell = regions.largest();
  Grid grid{*machine.network(), std::vector<int>(placement.p())};
  if (ranks_a_cell > 1) {
    const bool torus = std::ranges::count(grid.mesh.periodic, false) == 0;
    grid.mesh.dims.push_back(ranks_a_cell);
    grid.mesh.periodic.push_back(torus);
  }
  for (int rank = 0; rank < placement.p(); ++rank) {
    const Place& place = placement.place(rank);
    const int cell = machine.ancestor(place.level, place.object, 0);
    grid.ranks[cell * ranks_a_cell + regions.local(rank)] = rank;
  }
  if (std::ranges::is_sorted(grid.ranks)) grid.ranks.clear();
  return std::make_shared<const Grid>(std::move(grid));
}

}  // namespace toccata
