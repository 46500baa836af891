// The traffic over the links of a mesh, and the lower bounds.

#include "links.h"

#include <nanobind/stl/vector.h>
#include <string>

#include "choices/choice.h"
#include "choices/ranking.h"
#include "networks/bounds.h"
#include "text.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

const Algorithm& known(const Choice& choice) {
  if (choice.native())
    throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
  return *choice.algorithm;
}

LinkTraffic traffic_of(const Choice& choice, const Shape& communicator) {
  const Shape shape = shape_of(choice, communicator);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(choice.schedule(shape, rank));
  return link_traffic(known(choice).collective, shape, schedules);
}

// The link traffic of a choice, in bytes.
struct PythonTraffic {
  double largest, total;
  std::vector<int> conflicts;
  int turns;
};

}  // namespace

void bind_links(nb::module_& module) {
  nb::class_<Bounds>(module, "Bounds", "Lower bounds for all algorithms.")
      .def_ro("rounds", &Bounds::rounds)
      .def_ro("link_bytes", &Bounds::link_bytes, "Over the busiest link.")
      .def_ro("reduced_bytes", &Bounds::reduced_bytes, "Bytes that the busiest rank reduces.");

  nb::class_<PythonTraffic>(module, "LinkTraffic",
                            "The traffic over the links of a mesh, in bytes.")
      .def_ro("largest", &PythonTraffic::largest, "Over the busiest link.")
      .def_ro("total", &PythonTraffic::total)
      .def_ro("conflicts", &PythonTraffic::conflicts,
              "For each round: the maximum number of messages on one link.")
      .def_ro(
          "turns", &PythonTraffic::turns,
          "The number of rounds of the busiest rank, if each link carries one message at a time.");

  nb::class_<OnLinks>(module, "OnLinks",
                      "The positions of the ranks of a shape on a mesh, and its links.")
      .def(nb::init<const Shape&>(), "shape"_a)
      .def_prop_ro("dims", [](const OnLinks& self) { return self.links.mesh().dims; })
      .def_prop_ro("periodic", [](const OnLinks& self) { return self.links.mesh().periodic; })
      .def_ro("cells", &OnLinks::cells, "By rank.")
      .def(
          "coordinates",
          [](const OnLinks& self, int cell) { return self.links.mesh().coordinates(cell); },
          "cell"_a);

  module.def(
      "lower_bounds",
      [](std::string_view collective, const Shape& shape, double n) {
        const Collective* found = find_collective(collective);
        if (found == nullptr)
          throw ChoiceError("there is no collective '" + std::string(collective) + "'");
        try {
          return lower_bounds(*found, shape, n);
        } catch (const std::invalid_argument& error) {
          throw ChoiceError(error.what());
        }
      },
      "collective"_a, "shape"_a, "n"_a,
      "The bounds for n bytes of the whole vector. ChoiceError if the collective has none.");
  module.def(
      "link_traffic",
      [](const Choice& choice, const Shape& shape, double n) {
        const Shape complete = shape_of(choice, shape);
        const double block = n / known(choice).collective.data(complete);
        const LinkTraffic found = traffic_of(choice, shape);
        return PythonTraffic{found.largest * block, found.total * block, found.conflicts,
                             found.turns};
      },
      "choice"_a, "shape"_a, "n"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The traffic for n bytes of the whole vector, routed in dimension order.");
}
