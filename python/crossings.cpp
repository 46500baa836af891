// The traffic across the levels of a machine, and the regions of the ranks there.

#include "crossings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "choices/choice.h"
#include "choices/ranking.h"
#include "costs/crossings.h"
#include "text.h"
#include "topology/placement.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

std::vector<Crossing> crossings_of(const Choice& choice, const Shape& known,
                                   std::int64_t block_bytes) {
  if (choice.native())
    throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
  const Shape shape = shape_of(choice, known);
  const Collective& collective = choice.algorithm->collective;
  const std::vector<std::int64_t> bytes(collective.data(shape), block_bytes);
  return crossings(
      collective, shape, [&](int rank) { return choice.schedule(shape, rank); }, bytes);
}

// For each level that divides the ranks: its name, and the region of every rank.
std::vector<std::pair<std::string_view, std::vector<int>>> regions_of(const Shape& shape) {
  std::vector<std::pair<std::string_view, std::vector<int>>> result;
  if (shape.placement == nullptr) return result;
  for (int level = 0; level < shape.placement->machine().levels(); ++level) {
    const Regions& regions = shape.placement->regions(level);
    if (!regions.divide()) continue;
    std::vector<int> of;
    for (int rank = 0; rank < shape.p; ++rank) of.push_back(regions.of(rank));
    result.emplace_back(shape.placement->machine().name(level), std::move(of));
  }
  return result;
}

}  // namespace

void bind_crossings(nb::module_& module) {
  nb::class_<Crossing::Count>(module, "Crossed", "Messages, blocks and bytes that cross a level.")
      .def_ro("messages", &Crossing::Count::messages)
      .def_ro("blocks", &Crossing::Count::blocks)
      .def_ro("bytes", &Crossing::Count::bytes);
  nb::class_<Crossing>(module, "Crossing",
                       "The traffic between ranks in different regions of a level.")
      .def_ro("level", &Crossing::level)
      .def_ro("rank", &Crossing::rank, "The maximum per rank, for each number separately.")
      .def_ro("region", &Crossing::region, "The maximum that leaves one region.")
      .def_ro("total", &Crossing::total)
      .def_ro("regions", &Crossing::regions, "The traffic out of each region.");
  module.def("crossings", &crossings_of, "choice"_a, "shape"_a, "block_bytes"_a = 1,
             "The traffic across each level, outermost first; empty if the machine is unknown.");
  module.def("regions", &regions_of, "shape"_a,
             "For each level that divides the ranks, outermost first: its name, and the region of "
             "each rank.");
}
