// Mappings: which rank plays which role, and the traffic before and after.

#include "reorder.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <tuple>
#include <utility>

#include "choices/choice.h"
#include "networks/flows.h"
#include "scotch.h"
#include "text.h"
#include "topology/reorder/fold.h"
#include "topology/reorder/halving.h"
#include "topology/reorder/least.h"
#include "topology/reorder/refine.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

const Placement& placement_of(const Shape& shape) {
  if (shape.placement == nullptr)
    throw ChoiceError("nothing is known of where the ranks run; name a machine");
  return *shape.placement;
}

const Algorithm& algorithm_of(const Choice& choice) {
  if (choice.native())
    throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
  return *choice.algorithm;
}

Choice plain(Choice choice) {
  choice.reorder = Reorder::off;
  return choice;
}

// The sender, the receiver, the messages and their blocks.
using PairOfRanks = std::tuple<int, int, std::int64_t, std::int64_t>;

// Nothing if there are more than `most` messages.
std::optional<std::vector<PairOfRanks>> pairs_of(const Choice& choice, const Shape& known,
                                                 std::int64_t most) {
  algorithm_of(choice);
  const Shape shape = plain(choice).in(known);
  std::vector<PairOfRanks> result;
  std::int64_t messages = 0;
  for (int rank = 0; rank < shape.p; ++rank) {
    const Schedule schedule = choice.schedule(shape, rank);
    std::map<int, std::pair<std::int64_t, std::int64_t>> sent;  // by peer
    for (int round = 0; round < schedule.rounds(); ++round)
      for (const Message& each : schedule.sends(round)) {
        if (++messages > most) return {};
        auto& [number, blocks] = sent[each.peer];
        ++number;
        for (const BlockRange& range : schedule.ranges(each)) blocks += range.blocks();
      }
    for (const auto& [peer, sums] : sent) result.emplace_back(rank, peer, sums.first, sums.second);
  }
  return result;
}

// A mapping, and the seconds that the search took.
template <typename Find>
std::pair<Mapping, double> timed(Find&& find) {
  const auto start = std::chrono::steady_clock::now();
  Mapping found = find();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return {std::move(found), time.count()};
}

Order order_named(std::string_view word) {
  for (const Order each : all_orders)
    if (name(each) == word) return each;
  throw ChoiceError("there is no order '" + std::string(word) +
                    "'; expected one of straight, exchange, shuffle");
}

}  // namespace

void bind_reorder(nb::module_& module) {
  nb::class_<Flows>(module, "Flows",
                    "The traffic from each rank to others: a sparse matrix of ranges.")
      .def(nb::new_([](std::vector<std::vector<std::pair<int, double>>> rows) {
             Flows result;
             for (auto& each : rows) result.add_row(std::move(each));
             return result;
           }),
           "rows"_a, "By rank: its peers, each once, and the bytes.")
      .def_prop_ro("p", &Flows::p)
      .def_prop_ro("ranges", &Flows::ranges)
      .def(
          "row",
          [](const Flows& self, int rank) {
            std::vector<std::pair<int, double>> result;
            self.for_each(rank, [&](int peer, double bytes) { result.emplace_back(peer, bytes); });
            return result;
          },
          "rank"_a);

  module.def("has_scotch", &has_scotch, "Whether this was built with Scotch.");
  module.def(
      "patterns",
      [] {
        std::vector<std::pair<std::string_view, std::string_view>> result;
        for (const Pattern& each : patterns()) result.emplace_back(each.name, each.heuristic);
        return result;
      },
      "The names of the patterns, each with that of its heuristic.");
  module.def(
      "flows_of",
      [](const Choice& choice, const Shape& shape) {
        return flows_of(algorithm_of(choice), plain(choice).in(shape));
      },
      "choice"_a, "shape"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The traffic of the schedules, one byte per block.");
  module.def("pairs_of", &pairs_of, "choice"_a, "shape"_a, "most"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "The traffic of the schedules: sender, receiver, messages and blocks of each pair. "
             "None if there are more than `most` messages.");
  module.def(
      "ring_flows",
      [](int p) {
        return flows_between_neighbours({{p}, {true}});
      },
      "p"_a);
  module.def(
      "hop_bytes",
      [](const Shape& shape, const Flows& flows, const Mapping& players) {
        return hop_bytes(placement_of(shape), flows, players);
      },
      "shape"_a, "flows"_a, "players"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Bytes times distance, if players[i] plays rank i.");
  module.def(
      "least_hop_bytes",
      [](const Shape& shape, const Flows& flows) {
        return least_hop_bytes(placement_of(shape), flows);
      },
      "shape"_a, "flows"_a, nb::call_guard<nb::gil_scoped_release>(),
      "A lower bound of hop_bytes for all mappings. O(p^2).");
  module.def(
      "pattern_of", [](const Choice& choice) { return std::string(algorithm_of(choice).pattern); },
      "choice"_a,
      "The pattern for the mapping of an algorithm; \"\" if its traffic determines the mapping.");
  module.def(
      "map_pattern",
      [](std::string_view pattern, const Shape& shape, std::optional<unsigned> seed) {
        const Pattern& known = pattern_named(pattern);
        if (known.map == rdmh && (shape.p & (shape.p - 1)) != 0)
          throw ChoiceError("recursive doubling needs a power of two ranks");
        return timed(
            [&] { return known.map(placement_of(shape), {.root = shape.root, .seed = seed}); });
      },
      "pattern"_a, "shape"_a, "seed"_a = nb::none(),
      "For each role, the rank that plays it; and the seconds of the search.");
  module.def(
      "map_flows",
      [](const Flows& flows, const Shape& shape) {
        return timed([&] { return map_flows(placement_of(shape), flows, {.root = shape.root}); });
      },
      "flows"_a, "shape"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "map_by_halving",
      [](const Flows& flows, const Shape& shape, unsigned seed) {
        return timed([&] { return map_by_halving(placement_of(shape), flows, seed); });
      },
      "flows"_a, "shape"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "refine",
      [](const Flows& flows, const Shape& shape, const Mapping& players, double seconds) {
        return timed([&] { return refine(placement_of(shape), flows, players, seconds); });
      },
      "flows"_a, "shape"_a, "players"_a, "seconds"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The mapping after exchanges of two ranks that save hop-bytes.");
  module.def(
      "map_by_scotch",
      [](const Flows& flows, const Shape& shape) {
        return timed([&] { return map_by_scotch(placement_of(shape), flows); });
      },
      "flows"_a, "shape"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "mappings_for",
      [](const Choice& choice, const Shape& shape) {
        const Shape known = plain(choice).in(shape);
        placement_of(known);
        return mappings_for(algorithm_of(choice), known, choice.pattern);
      },
      "choice"_a, "shape"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The candidate mappings of an algorithm, the preferred one first.");
  module.def(
      "orders_for",
      [](const Choice& choice) {
        std::vector<std::string_view> result;
        for (const Order each : orders_for(algorithm_of(choice))) result.push_back(name(each));
        return result;
      },
      "choice"_a,
      "The possible ways to keep the order of its buffers, among straight, exchange and shuffle.");
  module.def(
      "reordered",
      [](const Choice& choice, const Shape& shape, const Mapping& players, std::string_view order) {
        const Order known = order_named(order);
        if (const std::string why = why_impossible(algorithm_of(choice), known); !why.empty())
          throw ChoiceError(choice.algorithm->path() + " " + why);
        return reordered(*choice.algorithm, plain(choice).in(shape), players, known);
      },
      "choice"_a, "shape"_a, "players"_a, "order"_a,
      "The shape after a mapping, for any analysis.");
}
