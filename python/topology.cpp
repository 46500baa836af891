// Machines, placements of ranks on them, and shapes.

#include "topology.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <tuple>
#include <utility>

#include "choices/known_shape.h"
#include "text.h"
#include "topology/error.h"
#include "topology/hostlist.h"
#include "topology/hwloc.h"
#include "topology/placements.h"
#include "topology/readers.h"
#include "topology/synthetic.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

int checked(int index, int end, const char* what) {
  if (index < 0 || index >= end) throw nb::index_error(what);
  return index;
}

int level_of(const Machine& machine, int level) {
  return checked(level, machine.levels(), "there is no such level");
}

int rank_of(const Placement& placement, int rank) {
  return checked(rank, placement.p(), "there is no such rank");
}

}  // namespace

void bind_topology(nb::module_& module) {
  TextException<TopologyError>(module, "TopologyError", module.attr("ChoiceError").ptr())
      .attr("__doc__") = "A machine or placement that cannot be read.";

  nb::class_<Machine>(module, "Machine",
                      "A tree of named levels, outermost first, with an optional mesh or torus of "
                      "the outermost objects.")
      .def(nb::new_(
               [](std::string_view text) { return std::make_shared<Machine>(read_machine(text)); }),
           "text"_a,
           "From \"leaf:2 node:8 socket:2 core:8\" or \"torus:8x8 core:2\", or from a file.")
      .def_prop_ro("text", [](const Machine& self) { return text(self); })
      .def_prop_ro("levels",
                   [](const Machine& self) {
                     std::vector<std::string_view> names;
                     for (int level = 0; level < self.levels(); ++level)
                       names.push_back(self.name(level));
                     return names;
                   })
      .def(
          "objects",
          [](const Machine& self, int level) { return self.objects(level_of(self, level)); },
          "level"_a)
      .def(
          "outer",
          [](const Machine& self, int level, int object) {
            return self.outer(level, checked(object, self.objects(level_of(self, level)),
                                             "there is no such object"));
          },
          "level"_a, "object"_a, "The object of the next outer level that contains an object.")
      .def(
          "outers",
          [](const Machine& self, int level) { return self.level(level_of(self, level)).outer; },
          "level"_a, "The same for every object.")
      .def(
          "labels",
          [](const Machine& self, int level) { return self.level(level_of(self, level)).labels; },
          "level"_a, "The names of the objects, such as hosts; empty if there are none.")
      .def_prop_ro("saved", &saved, "The contents of a file that can be read again.")
      .def_prop_ro(
          "remark", [](const Machine& self) { return self.remark(); },
          "What a reader had to decide about a file, for the user; empty if nothing.")
      .def_prop_ro(
          "dims",
          [](const Machine& self) {
            return self.network() ? self.network()->dims : std::vector<int>{};
          },
          "The dimensions of the mesh of the outermost objects; empty if there is no mesh.")
      .def_prop_ro("periodic", [](const Machine& self) {
        return self.network() ? self.network()->periodic : std::vector<bool>{};
      });

  nb::class_<Placement>(module, "Placement", "Ranks on a machine.")
      .def(nb::new_([](std::shared_ptr<Machine> machine, int p, std::string_view name) {
             return std::make_shared<Placement>(place(std::move(machine), p, name));
           }),
           "machine"_a, "p"_a, "name"_a = "sequential",
           "From a name, such as \"block-bunch\" or \"random:1\", or a list of places, as "
           "\"0-3,8\".")
      .def_prop_ro("p", &Placement::p)
      .def_prop_ro(
          "text", [](const Placement& self) { return text(self); }, "The list of places.")
      .def_prop_ro("machine", &Placement::shared_machine)
      .def_prop_ro(
          "places",
          [](const Placement& self) {
            std::vector<std::pair<int, int>> result;
            for (int rank = 0; rank < self.p(); ++rank)
              result.emplace_back(self.place(rank).level, self.place(rank).object);
            return result;
          },
          "For each rank, the level and number of the object that it is bound to.")
      .def(
          "regions",
          [](const Placement& self, int level) {
            const Regions& regions =
                self.regions(checked(level, self.machine().levels(), "there is no such level"));
            std::vector<int> result(self.p());
            for (int rank = 0; rank < self.p(); ++rank) result[rank] = regions.of(rank);
            return result;
          },
          "level"_a,
          "The region of each rank at a level, numbered by their lowest ranks. Ranks that are "
          "bound "
          "only further out are in one region for each outer object.")
      .def(
          "among",
          [](const Placement& self, const std::vector<int>& group) {
            for (const int rank : group) rank_of(self, rank);
            return std::make_shared<Placement>(self.among(group));
          },
          "group"_a, "These ranks, as the ranks 0, 1, ... of a communicator.")
      .def(
          "common_level",
          [](const Placement& self, int a, int b) {
            return self.common_level(rank_of(self, a), rank_of(self, b));
          },
          "a"_a, "b"_a,
          "The innermost level at which two ranks are in one object; -1 if there is none.");

  nb::class_<Shape>(module, "Shape", "The known properties of a communicator.")
      .def(
          "__init__", [](Shape* self, int p, int root) { new (self) Shape{.p = p, .root = root}; },
          "p"_a, "root"_a = 0)
      .def(
          "__init__",
          [](Shape* self, const Placement& placement, int root) {
            new (self) Shape(known(placement));
            self->root = root;
          },
          "placement"_a, "root"_a = 0)
      .def_ro("p", &Shape::p)
      .def_ro("root", &Shape::root)
      .def_ro("parts", &Shape::parts,
              "The number of blocks into which a unit of the collective is cut, if known.")
      .def_prop_ro(
          "placement",
          [](const Shape& self) {
            return std::const_pointer_cast<Placement>(
                std::shared_ptr<const Placement>(self.placement));
          },
          nb::sig("def placement(self) -> Placement | None"))
      .def_prop_ro(
          "dims",
          [](const Shape& self) { return self.grid ? self.grid->mesh.dims : std::vector<int>{}; },
          "The dimensions of the mesh of the ranks; empty if there is no mesh.");

  module.def("placement_names", &placement_names);
  module.def("unknown_levels", &unknown_levels, "machine"_a,
             "Names of levels that no algorithm uses, probably misspelt.");
  module.def(
      "this_machine", [] { return std::make_shared<Machine>(NodeTopology::here().machine()); },
      "hwloc's description of this machine.");
  module.def(
      "fold_hosts", [](const std::vector<std::string>& hosts) { return fold_hosts(hosts); },
      "hosts"_a, "Such as \"n[001-016],login\".");
  module.def(
      "fabric",
      [](const std::string& file) {
        using Cables = std::vector<std::tuple<int, int, std::string>>;
        std::optional<std::pair<std::vector<std::string>, Cables>> result;
        if (std::optional<Fabric> fabric = read_fabric_in(file)) {
          result.emplace(std::move(fabric->names), Cables());
          for (Fabric::Cable& each : fabric->cables)
            result->second.emplace_back(each.from, each.to, std::move(each.speed));
        }
        return result;
      },
      "file"_a,
      "The names of nodes and switches in an output of ibnetdiscover, the nodes of its machine "
      "first, and the cables: two positions, and a speed such as \"4xHDR\". Cables between "
      "switches are listed from both ends, those of nodes only from the switch. None for another "
      "kind of file.");
  module.def(
      "read_saved",
      [](std::string_view contents, const std::string& name) {
        return std::make_shared<Machine>(read_saved(contents, name));
      },
      "contents"_a, "name"_a, "The machine of a saved text; errors contain `name` and the line.");
}
