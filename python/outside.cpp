// Algorithms from outside: Python functions, files of schedules, and MSCCL programs.

#include "outside.h"

#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

#include "choices/choice.h"
#include "tables/check.h"
#include "tables/msccl.h"
#include "tables/schedule_file.h"
#include "text.h"
#include "writing/outside.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

template <typename Value>
Value named(std::string_view word, std::initializer_list<Value> values, const char* what) {
  for (const Value each : values)
    if (word == name(each)) return each;
  throw nb::value_error((std::string(what) + " cannot be '" + std::string(word) + "'").c_str());
}

Buffer buffer_named(std::string_view word) {
  return named(word, {Buffer::send, Buffer::recv, Buffer::scratch}, "a buffer");
}
Travel travel_named(std::string_view word) {
  return named(
      word, {Travel::whole, Travel::packed, Travel::datatype, Travel::per_block, Travel::published},
      "travel");
}

// A Python function must open a round before it adds messages or copies.
void check_round(const ScheduleBuilder& builder) {
  if (builder.rounds() == 0) throw nb::value_error("round() comes first");
}

nb::dict settings_of(const ParameterList& declared, const Shape& shape) {
  nb::dict result;
  const Parameters values = shape.parameters.empty() ? Parameters(declared) : shape.parameters;
  for (const Parameter& each : declared) {
    const int value = values[each];
    const nb::str key(each.name.data(), each.name.size());
    if (each.is_choice())
      result[key] = nb::str(each.words[value].data(), each.words[value].size());
    else
      result[key] = value;
  }
  return result;
}

// Calls toccata.algorithms.outside with the algorithm's name. It holds no Python object, because it
// lives until the program ends, and Python's interpreter ends earlier.
class InPython final : public Outside {
 public:
  InPython(std::string name, const ParameterList& parameters)
      : name_(std::move(name)), parameters_(parameters) {}

  std::string why_impossible(const Shape& shape) const override {
    return ask<std::string>("why_impossible", shape);
  }
  int parts(const Shape& shape) const override { return ask<int>("parts", shape); }
  std::optional<Cost> claim(const Shape& shape) const override {
    return ask<std::optional<Cost>>("claim", shape);
  }
  Schedule schedule(const Shape& shape, int rank) const override {
    return ask<Schedule>("schedule", shape, rank);
  }

 private:
  template <typename Answer, typename... More>
  Answer ask(const char* what, const Shape& shape, More... more) const {
    const nb::gil_scoped_acquire held;
    const nb::object answer =
        nb::module_::import_("toccata.algorithms.outside")
            .attr(what)(name_, shape, settings_of(parameters_, shape), more...);
    return nb::cast<Answer>(answer);
  }

  const std::string name_;
  const ParameterList parameters_;
};

constexpr std::size_t most_parameters = 8;

using Words = std::vector<std::string>;
// For a choice: name, help, words. For a number: name, help, least, most, standard, samples.
using Declared = std::tuple<std::string, std::string, Words, int, int, int, std::vector<int>>;

Parameter parameter_of(const Declared& declared) {
  const auto& [name, help, words, least, most, standard, samples] = declared;
  if (words.empty()) return number(interned(name), interned(help), least, most, standard, samples);
  std::vector<std::string_view> kept;
  for (const std::string& each : words) kept.push_back(interned(each));
  return choice(interned(name), interned(help), kept);
}

const Collective& collective_named(std::string_view name) {
  const Collective* const found = find_collective(name);
  if (found == nullptr || &found->regular() != found || found->among_neighbors) {
    std::string known;
    for (const Collective* each : collectives())
      if (&each->regular() == each && !each->among_neighbors)
        (known += known.empty() ? "" : ", ") += each->name;
    throw ChoiceError("there can be no algorithm of '" + std::string(name) +
                      "' from outside; there can be of " + known);
  }
  return *found;
}

const Algorithm& add_python_algorithm(const std::string& name, std::string_view collective,
                                      std::string_view summary, std::string_view citation,
                                      const std::vector<Declared>& parameters,
                                      const nb::typed<nb::dict, nb::str, bool>& flags) {
  ParameterList declared;
  if (parameters.size() > most_parameters)
    throw ChoiceError(name + " has more than " + std::to_string(most_parameters) + " parameters");
  for (const Declared& each : parameters)  // these live as long as the program, like algorithms
    declared.add(*new Parameter(parameter_of(each)));
  const auto flag = [&](const char* word) { return nb::cast<bool>(flags[word]); };
  return add_outside({.name = interned(name),
                      .collective = collective_named(collective),
                      .summary = interned(summary),
                      .citation = interned(citation),
                      .parameters = declared,
                      .blocks_alike = flag("blocks_alike"),
                      .relays = flag("relays"),
                      .ordered = flag("ordered"),
                      .reproducible = flag("reproducible"),
                      .by_placement = flag("by_placement"),
                      .write = nullptr},
                     std::make_unique<InPython>(name, declared));
}

const Algorithm& algorithm_of(const Choice& choice) {
  if (choice.native()) throw ChoiceError("'native' has no schedules of ours");
  return *choice.algorithm;
}

std::string schedule_file_of(const Choice& choice, const std::vector<Shape>& known) {
  const Algorithm& algorithm = algorithm_of(choice);
  std::vector<Shape> shapes;
  for (const Shape& each : known) shapes.push_back(choice.in(each));
  return schedule_file::text(algorithm, shapes, choice.travel);
}

std::string msccl_of(const Choice& choice, const Shape& known) {
  const Algorithm& algorithm = algorithm_of(choice);
  const Shape shape = choice.in(known);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(choice.schedule(shape, rank));
  return msccl::text(algorithm, shape, schedules);
}

}  // namespace

void bind_outside(nb::module_& module) {
  const nb::object choice_error = module.attr("ChoiceError");
  TextException<schedule_file::Error>(module, "ScheduleFileError", choice_error.ptr())
      .attr("__doc__") = "A file of schedules that cannot be used: its name, and the error.";
  TextException<MscclError>(module, "MscclError", choice_error.ptr()).attr("__doc__") =
      "The reason why an MSCCL program, or a schedule, cannot be converted.";

  module.def(
      "block_range",
      [](std::string_view buffer, int first, int count, int stride, int repeat) {
        return BlockRange{buffer_named(buffer), first, count, stride, repeat};
      },
      "buffer"_a, "first"_a, "count"_a = 1, "stride"_a = 0, "repeat"_a = 1);
  module.def(
      "circular",
      [](std::string_view buffer, std::int64_t first, int count, int modulus, int step) {
        if (modulus < 1) throw nb::value_error("a circle needs at least one block");
        if (count < 0 || count > modulus)
          throw nb::value_error("a circular range is longer than its circle");
        return circular(buffer_named(buffer), first, count, modulus, step);
      },
      "buffer"_a, "first"_a, "count"_a, "modulus"_a, "step"_a = 1);

  nb::class_<ScheduleBuilder>(
      module, "ScheduleBuilder",
      "Writes one rank's schedule. ValueError if a call precedes the first round().")
      .def(nb::init<>())
      .def("round", [](ScheduleBuilder& self) { self.round(); })
      .def(
          "send",
          [](ScheduleBuilder& self, int peer, const BlockRanges& blocks, std::string_view travel,
             int channel) {
            check_round(self);
            self.channel(channel).send(peer, blocks, travel_named(travel));
          },
          "peer"_a, "blocks"_a, "travel"_a, "channel"_a)
      .def(
          "recv",
          [](ScheduleBuilder& self, int peer, const BlockRanges& blocks, std::string_view travel,
             int channel) {
            check_round(self);
            self.channel(channel).recv(peer, blocks, travel_named(travel));
          },
          "peer"_a, "blocks"_a, "travel"_a, "channel"_a)
      .def(
          "step",
          [](ScheduleBuilder& self, const BlockRanges& from, const BlockRanges& into,
             bool reduces) {
            check_round(self);
            if (blocks(from) != blocks(into))
              throw nb::value_error((std::to_string(blocks(from)) + " blocks are copied into " +
                                     std::to_string(blocks(into)))
                                        .c_str());
            if (reduces)
              self.reduce(from, into);
            else
              self.copy(from, into);
          },
          "source"_a, "target"_a, "reduces"_a)
      .def(
          "scratch",
          [](ScheduleBuilder& self, const BlockRanges& like) {
            for (const BlockRange& each : like)
              if (each.buffer == Buffer::scratch || !lies_within(each, 1 << 28))
                throw nb::value_error("scratch takes its sizes from blocks of send or recv");
            return self.scratch(like);
          },
          "like"_a)
      .def("build", [](const ScheduleBuilder& self) { return ScheduleBuilder(self).build(); });

  module.def("add_python_algorithm", &add_python_algorithm, "name"_a, "collective"_a, "summary"_a,
             "citation"_a, "parameters"_a, "flags"_a, nb::rv_policy::reference,
             "Registers an algorithm whose schedules toccata.algorithms.outside writes.");

  module.def("read_schedule_file", &schedule_file::read, "path"_a,
             "The contents of a file of schedules. ScheduleFileError if it is too large.");
  module.def("add_schedule_file", &schedule_file::add, "text"_a, "name"_a, nb::rv_policy::reference,
             "Registers the algorithm of a file of schedules under that name.");
  module.def("schedule_file", &schedule_file_of, "choice"_a, "shapes"_a,
             "The contents of a file with a choice's schedules in these shapes.");
  module.def(
      "tables_of",
      [](const Algorithm& algorithm) {
        std::vector<std::tuple<int, int, int>> result;
        for (const auto& [ranks, root, parts] : schedule_file::tables(algorithm))
          result.emplace_back(ranks, root, parts);
        return result;
      },
      "algorithm"_a, "Ranks, root and parts of each table of an algorithm from a file.");
  module.def("add_msccl", &msccl::add, "xml"_a, "name"_a, nb::rv_policy::reference,
             "Registers a program of MSCCL as an algorithm.");
  module.def("msccl", &msccl_of, "choice"_a, "shape"_a,
             "A choice's schedules as a program of MSCCL.");
}
