// Networks of nodes, switches and links, and the cuts that bound collectives there.

#include "networks.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

#include "choices/choice.h"
#include "choices/ranking.h"
#include "networks/cuts.h"
#include "networks/flows.h"
#include "networks/network.h"
#include "networks/packing.h"
#include "networks/torus_packing.h"
#include "text.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

using Weights = std::vector<std::int64_t>;

// The traffic between nodes: from, to, blocks. Messages inside a node use no link.
std::vector<std::tuple<int, int, double>> node_flows(const Choice& choice, const Shape& known,
                                                     const std::vector<int>& node_of) {
  if (choice.native())
    throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
  const Shape shape = shape_of(choice, known);
  if (static_cast<int>(node_of.size()) != shape.p)
    throw ChoiceError("the number of nodes and the number of ranks differ");
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(choice.schedule(shape, rank));
  const Flows flows = flows_of(schedules);
  std::vector<std::tuple<int, int, double>> result;
  for (int rank = 0; rank < shape.p; ++rank)
    flows.for_each(rank, [&](int peer, double blocks) {
      if (node_of[rank] != node_of[peer]) result.emplace_back(node_of[rank], node_of[peer], blocks);
    });
  return result;
}

using Tree = std::pair<int, std::vector<std::int32_t>>;  // weight, parents

std::vector<Tree> shown(const std::vector<PackedTree>& trees) {
  std::vector<Tree> result;
  for (const PackedTree& each : trees) result.emplace_back(each.weight(), each.parents());
  return result;
}

std::vector<PackedTree> made(const std::vector<Tree>& trees) {
  std::vector<PackedTree> result;
  for (const auto& [weight, parents] : trees) result.emplace_back(weight, parents);
  return result;
}

}  // namespace

void bind_networks(nb::module_& module) {
  nb::class_<Cut>(
      module, "Cut",
      "A cut of a network: `demand` must leave the vertices inside, over links of this capacity.")
      .def_ro("demand", &Cut::demand)
      .def_ro("capacity", &Cut::capacity)
      .def_ro("inside", &Cut::inside, "By vertex.")
      .def_prop_ro("ratio", &Cut::ratio);

  nb::class_<Network>(
      module, "Network",
      "Directed links between nodes and switches; the nodes are the first vertices.\n\n"
      "Weights are the blocks that each node has or receives. ValueError, in one line, if a node "
      "cannot be reached.")
      .def(
          "__init__",
          [](Network* self, int nodes, int vertices,
             const std::vector<std::tuple<int, int, std::int64_t>>& links) {
            std::vector<NetworkLink> made;
            for (const auto& [from, to, capacity] : links) made.push_back({from, to, capacity});
            new (self) Network(nodes, vertices, std::move(made));
          },
          "nodes"_a, "vertices"_a, "links"_a)
      .def_static(
          "of_mesh",
          [](const std::vector<int>& dims, const std::vector<bool>& periodic) {
            return Network(Mesh{dims, periodic});
          },
          "dims"_a, "periodic"_a, "The network of a mesh; its routes are in dimension order.")
      .def_prop_ro("nodes", &Network::nodes)
      .def_prop_ro("vertices", &Network::vertices)
      .def_prop_ro(
          "links",
          [](const Network& self) {
            std::vector<std::tuple<int, int, std::int64_t>> links;
            for (const NetworkLink& each : self.links())
              links.emplace_back(each.from, each.to, each.capacity);
            return links;
          },
          "From, to, capacity.")
      .def("reversed", &Network::reversed)
      .def("route", &Network::route, "source"_a, "target"_a,
           "The numbers of the links, each with the share of a message that takes it.")
      .def(
          "loads",
          [](const Network& self, const std::vector<std::tuple<int, int, double>>& flows) {
            std::vector<Network::Flow> made;
            for (const auto& [from, to, bytes] : flows) made.push_back({from, to, bytes});
            return self.loads(made);
          },
          "flows"_a, "The traffic on each link. A flow is the source, the target and the bytes.")
      .def(
          "broadcast_cut",
          [](const Network& self, const Weights& weights, int root) {
            return broadcast_cut(self, weights, root);
          },
          "weights"_a, "root"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "scatter_cut",
          [](const Network& self, const Weights& weights, int root) {
            return scatter_cut(self, weights, root);
          },
          "weights"_a, "root"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "allgather_cut",
          [](const Network& self, const Weights& weights) { return allgather_cut(self, weights); },
          "weights"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "cuts_to",
          [](const Network& self, const Weights& supplies, const std::vector<int>& sinks) {
            return cuts_to(self, supplies, sinks);
          },
          "supplies"_a, "sinks"_a, nb::call_guard<nb::gil_scoped_release>(),
          "For each of the sinks, the minimum cut between all supplies and this node.");

  module.def(
      "pack_trees",
      [](const Network& network, const Weights& roots) {
        return shown(pack_trees(network, roots));
      },
      "network"_a, "roots"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Trees that together exceed no link's capacity; `roots[i]` of them have their root at node "
      "i. A tree is its weight, and the parent of each node, which is -1 for the root. ValueError, "
      "in one line, if there are no such trees.");
  module.def(
      "pack_torus",
      [](const Machine& machine, const Network& network) -> std::optional<std::vector<Tree>> {
        if (!machine.network()) return {};
        const auto trees = pack_torus(*machine.network(), network);
        return trees ? std::optional(shown(*trees)) : std::nullopt;
      },
      "machine"_a, "network"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Two trees per dimension from every node of a torus. None if they need more than the "
      "network's capacities, or if the machine is not a torus.");
  module.def(
      "balanced_roots", &balanced_roots, "network"_a, "trees"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "For a total of `trees`, the number with each node as the root; None if that is impossible.");
  module.def(
      "why_wrong",
      [](const Network& network, const Weights& roots, const std::vector<Tree>& trees) {
        try {
          return why_wrong(network, roots, made(trees));
        } catch (const std::invalid_argument& error) {
          return "a tree " + std::string(error.what());
        }
      },
      "network"_a, "roots"_a, "trees"_a,
      "The error in such trees, in one line; empty if there is none.");
  module.def(
      "with_trees",
      [](const Machine& machine, const std::vector<Tree>& bcast, const std::vector<Tree>& allreduce,
         const std::vector<Tree>& allgather) {
        std::vector<Machine::Level> levels;
        for (int level = 0; level < machine.levels(); ++level)
          levels.push_back(machine.level(level));
        return std::make_shared<Machine>(std::move(levels), machine.network(),
                                         std::make_shared<const PackedTrees>(PackedTrees{
                                             made(bcast), made(allreduce), made(allgather)}));
      },
      "machine"_a, "bcast"_a, "allreduce"_a, "allgather"_a,
      "The machine with trees packed for its nodes.");
  module.def(
      "trees_of",
      [](const Machine& machine, std::string_view collective) {
        if (machine.trees() == nullptr) return std::vector<Tree>{};
        PackedTrees trees = *machine.trees();
        const std::vector<PackedTree>* const found = trees.find(collective);
        if (found == nullptr) throw ChoiceError("no trees are packed for that collective");
        return shown(*found);
      },
      "machine"_a, "collective"_a, "The trees packed for bcast, allreduce or allgather.");
  module.def(
      "node_flows", &node_flows, "choice"_a, "shape"_a, "node_of"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "For each pair of nodes: source, target, blocks. `node_of` contains the node of each rank.");
}
