// The machines of `toccata sim`: SimGrid loads this library together with the program. It builds
// the machine and the model of the file that TOCCATA_PLATFORM names, as `toccata predict` uses
// them.
//
//   level 0 "node"      star zone   ──┐ injection limit of a node, either way
//   level 1 "socket"     star zone  ──┤ that of a socket, if it has one
//   level 2 "core"        host      ──┘ maximum that a rank sends and receives
//
// A core is a host, because a host's own loopback limits nothing. A message takes the model's alpha
// of the innermost level that contains both cores, and the links' bandwidth, shared with others,
// but at least the model's n·beta. Processors take the model's o at either end.
//
// Links that differ from those of the machine are given one by one, in "network". Messages then
// take one of the shortest routes between two nodes.
//
// Cores without ranks, by smpi/hostfile, are left out: SimGrid needs more time to create 4096 cores
// than to run a short collective on 64 of them.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <string>
#include <unordered_map>
#include <vector>
#include <xbt/config.hpp>

#include "costs/model_file.h"
#include "networks/network.h"
#include "topology/error.h"
#include "topology/readers.h"

namespace toccata {
namespace {

namespace s4u = simgrid::s4u;

// The links among nodes, one by one.
struct Cables {
  Network network;
  int level;    // of the machine, whose objects are the network's nodes
  double rate;  // bytes per second of a capacity of 1
};

class Platform {
 public:
  Platform(Machine machine, Model model, double hop, double noise, std::optional<Cables> cables,
           const std::vector<int>& cores)
      : machine_(std::move(machine)),
        model_(std::move(model)),
        hop_(hop),
        cables_(std::move(cables)),
        noise_(1 / noise) {
    is_noisy_ = noise > 0;
    for (int at = 0; at < machine_.levels(); ++at) {
      used_.emplace_back(machine_.objects(at));
      for (const int core : cores)
        used_[at][machine_.ancestor(machine_.innermost(), core, at)] = true;
    }
    // If the model does not have the level, the next outer one counts.
    int level = 0;
    for (int of_machine = 0; of_machine < machine_.levels(); ++of_machine) {
      for (std::size_t i = 0; i < model_.levels.size(); ++i)
        if (model_.levels[i].name == machine_.name(of_machine)) level = static_cast<int>(i);
      level_of_.push_back(level);
    }
    for (const Model::Level& each : model_.levels) fastest_ = std::min(fastest_, least_beta(each));
  }

  void build(s4u::Engine& engine) {
    s4u::NetZone* root = engine.get_netzone_root();
    if (cables_)
      build_cables(root, *cables_);
    else if (machine_.network())
      build_torus(root);
    else
      build_star(root);
    root->set_latency_factor_cb([this](double size, const s4u::Host* from, const s4u::Host* to,
                                       const std::vector<s4u::Link*>& links,
                                       const auto&) { return delay(size, from, to, links); });
    for (const SmpiOperation each :
         {SmpiOperation::SEND, SmpiOperation::ISEND, SmpiOperation::RECV})
      smpi_register_op_cost_callback(
          each, [this](std::size_t size, const s4u::Host* from, const s4u::Host* to) {
            return protocol(static_cast<double>(size), level(from, to)).o +
                   (is_noisy_ ? noise_(random_) : 0);
          });
  }

 private:
  static double least_beta(const Model::Level& level) {
    const bool two = level.threshold != Model::Level{}.threshold;
    return two ? std::min(level.eager.beta, level.rendezvous.beta) : level.eager.beta;
  }
  const Protocol& protocol(double size, int level) const {
    const Model::Level& costs = model_.levels[level];
    return size < static_cast<double>(costs.threshold) ? costs.eager : costs.rendezvous;
  }

  // The innermost level of the model that contains both cores. A rank that has ended has no host.
  int level(const s4u::Host* a, const s4u::Host* b) const {
    if (a == nullptr || b == nullptr) return 0;
    const int first = core_of_.at(a), second = core_of_.at(b);
    for (int at = machine_.innermost(); at >= 0; --at)
      if (machine_.ancestor(machine_.innermost(), first, at) ==
          machine_.ancestor(machine_.innermost(), second, at))
        return level_of_[at];
    return 0;
  }

  // Seconds before the bytes flow, and of a message whose n·beta is more than the links take.
  double delay(double size, const s4u::Host* from, const s4u::Host* to,
               const std::vector<s4u::Link*>& links) const {
    const Protocol& costs = protocol(size, level(from, to));
    double slowest = std::numeric_limits<double>::infinity();
    for (const s4u::Link* each : links) slowest = std::min(slowest, each->get_bandwidth());
    const auto hops = static_cast<double>(links.size()) - 2;  // on a torus
    return costs.alpha + std::max(0.0, size * (costs.beta - 1 / slowest)) +
           std::max(0.0, hop_ * (hops - 1));
  }

  // The total rate of a rank: each of l simultaneous messages to l neighbours on a torus takes
  // 1 + (l-1)·tau times as long as one alone.
  double rate_of_core() const {
    if (!machine_.network()) return 1 / fastest_;
    const double links = 2.0 * static_cast<double>(machine_.network()->dims.size());
    return links / (1 + (links - 1) * model_.levels[0].eager.tau) / fastest_;
  }

  // A host, with a link of latency 1/2 s at either end of any way: what delay() says, times one
  // second, is the message's latency, and no way has more weight than another.
  void add_core(s4u::NetZone* zone, int core) {
    const std::string name = "c" + std::to_string(core);
    s4u::Host* host = zone->add_host(name, 1e9);
    const s4u::Link* link =
        zone->add_split_duplex_link(name, rate_of_core())->set_latency(0.5)->seal();
    zone->add_route(host, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
    core_of_[host] = core;
  }

  // The contents of an object of the machine, as a zone in `zone`.
  s4u::NetZone* add_object(s4u::NetZone* zone, int level, int object) {
    const std::string name = std::string(machine_.name(level)) + std::to_string(object);
    s4u::NetZone* inside = zone->add_netzone_star(name);
    inside->set_gateway(inside->add_router(name + "-router"));
    if (level == machine_.innermost() && used_[level][object])
      add_core(inside, object);
    else if (level < machine_.innermost())
      for (int each = first_inside(level, object); each < first_inside(level, object + 1); ++each)
        add_inside(inside, level + 1, each);
    inside->seal();
    return inside;
  }

  void add_inside(s4u::NetZone* zone, int level, int object) {
    if (!used_[level][object]) return;
    if (level == machine_.innermost()) return add_core(zone, object);
    s4u::NetZone* inside = add_object(zone, level, object);
    std::vector<s4u::LinkInRoute> links;
    const double limit = injection(level);
    if (std::isfinite(limit)) {
      const std::string name = std::string(machine_.name(level)) + std::to_string(object) + "-up";
      links.push_back(
          {zone->add_split_duplex_link(name, limit)->seal(), s4u::LinkInRoute::Direction::UP});
    }
    zone->add_route(inside, nullptr, links, true);
  }

  double injection(int level) const {
    for (const Model::Level& each : model_.levels)
      if (each.name == machine_.name(level)) return each.injection;
    return std::numeric_limits<double>::infinity();
  }

  int first_inside(int level, int object) const {
    const auto& outer = machine_.level(level + 1).outer;
    return static_cast<int>(std::ranges::lower_bound(outer, object) - outer.begin());
  }

  void build_star(s4u::NetZone* root) {
    s4u::NetZone* zone = root->add_netzone_star("machine");
    for (int each = 0; each < machine_.objects(0); ++each) add_inside(zone, 0, each);
    zone->seal();
  }

  void build_torus(s4u::NetZone* root) {
    const Mesh& mesh = *machine_.network();
    if (std::ranges::count(mesh.periodic, false) > 0)
      throw TopologyError("SimGrid has no mesh; its links must be given one by one");
    // The last of our dimensions is the fastest, there it is the first.
    const std::vector<unsigned long> dims(mesh.dims.rbegin(), mesh.dims.rend());
    s4u::NetZone* zone = root->add_netzone_torus("machine", dims, 1 / least_beta(model_.levels[0]),
                                                 0, s4u::Link::SharingPolicy::SPLITDUPLEX);
    zone->set_netzone_cb([this](s4u::NetZone* torus, const auto&, unsigned long cell) {
      return add_object(torus, 0, static_cast<int>(cell));
    });
    zone->seal();
  }

  void build_cables(s4u::NetZone* root, const Cables& cables) {
    const auto& [network, level, rate] = cables;
    s4u::NetZone* zone = root->add_netzone_full("machine");
    std::vector<const s4u::Link*> links;
    for (const NetworkLink& each : network.links())
      links.push_back(zone->add_link("link" + std::to_string(links.size()),
                                     rate * static_cast<double>(each.capacity))
                          ->seal());
    std::vector<s4u::NetZone*> nodes(network.nodes());
    for (int node = 0; node < network.nodes(); ++node)
      if (used_[level][node]) nodes[node] = add_object(zone, level, node);
    for (int from = 0; from < network.nodes(); ++from) {
      if (nodes[from] == nullptr) continue;
      const std::vector<std::vector<int>> routes = network.one_route_each(from);
      for (int to = 0; to < network.nodes(); ++to) {
        if (nodes[to] == nullptr || to == from) continue;
        if (routes[to].empty())
          throw TopologyError("no links lead from node " + std::to_string(from) + " to node " +
                              std::to_string(to));
        std::vector<s4u::LinkInRoute> route;
        for (const int link : routes[to]) route.emplace_back(links[link]);
        zone->add_route(nodes[from], nodes[to], route, false);
      }
    }
    zone->seal();
  }

  Machine machine_;
  Model model_;
  double hop_;  // seconds for each link of a torus beyond the first
  std::optional<Cables> cables_;
  // Seconds by which something else holds a processor up at either end of a message; the same in
  // every run.
  bool is_noisy_ = false;
  std::exponential_distribution<double> noise_;
  std::minstd_rand random_{1};
  std::vector<int> level_of_;            // of the model, by level of the machine
  std::vector<std::vector<bool>> used_;  // by level and object of the machine
  double fastest_ = std::numeric_limits<double>::infinity();  // the least beta
  std::unordered_map<const s4u::Host*, int> core_of_;
};

// Of a file with a host a line: c0, c8, c16, ...
std::vector<int> read_cores(const std::string& path) {
  std::vector<int> cores;
  std::ifstream file(path);
  for (std::string host; file >> host;) cores.push_back(std::stoi(host.substr(1)));
  return cores;
}

// The "network" of a description. Its links are triples: start, end, capacity.
std::optional<Cables> read_cables(const nlohmann::ordered_json& document) {
  if (!document.contains("network")) return std::nullopt;
  const auto& fields = document["network"];
  std::vector<NetworkLink> links;
  for (const auto& each : fields.at("links")) links.push_back({each.at(0), each.at(1), each.at(2)});
  return Cables{{fields.at("nodes"), fields.at("vertices"), std::move(links)},
                fields.at("level"),
                fields.at("rate")};
}

void load(s4u::Engine& engine) {
  const char* path = std::getenv("TOCCATA_PLATFORM");
  if (path == nullptr) throw ModelError("TOCCATA_PLATFORM names no file");
  std::ifstream file(path);
  auto document = nlohmann::ordered_json::parse(file);
  Machine machine = read_machine(document.at("machine").get<std::string>());
  const double hop = document.value("hop", 0.0), noise = document.value("noise", 0.0);
  std::optional<Cables> cables = read_cables(document);
  for (const char* not_of_a_model : {"machine", "hop", "noise", "links", "network"})
    document.erase(not_of_a_model);
  // Lives as long as its callers.
  static std::unique_ptr<Platform> platform;
  platform = std::make_unique<Platform>(
      std::move(machine), parse_model(document.dump(), path), hop, noise, std::move(cables),
      read_cores(simgrid::config::get_value<std::string>("smpi/hostfile")));
  platform->build(engine);
}

}  // namespace
}  // namespace toccata

extern "C" __attribute__((visibility("default"))) void load_platform(simgrid::s4u::Engine& engine) {
  try {
    toccata::load(engine);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "toccata: %s\n", error.what());
    std::exit(2);
  }
}
