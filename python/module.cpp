// toccata._core: the part of the library without MPI, for Python. From the texts here, the
// build makes _core.pyi, which describes the interface for type checkers and editors.

#include <algorithm>
#include <functional>
#include <map>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <variant>

#include "choices.h"
#include "choices/choice.h"
#include "choices/configuration.h"
#include "choices/mpi_libraries.h"
#include "choices/native_algorithm.h"
#include "choices/old_settings.h"
#include "choices/proved.h"
#include "choices/ranking.h"
#include "choices/shipped_rules.h"
#include "choices/sized_choice.h"
#include "choices/topology_setting.h"
#include "choices/tuning.h"
#include "choices/variables.h"
#include "cost.h"
#include "costs/assumed_models.h"
#include "costs/traffic.h"
#include "crossings.h"
#include "deciding/network_rule.h"
#include "deciding/node_rule.h"
#include "links.h"
#include "networks.h"
#include "outside.h"
#include "proofs/lockstep.h"
#include "proofs/samples.h"
#include "proofs/verify.h"
#include "reorder.h"
#include "text.h"
#include "topology.h"
#include "walks.h"
#include "writing/count.h"
#include "writing/registry.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

const Collective& collective_named(std::string_view name) {
  if (const Collective* found = find_collective(name)) return *found;
  std::string known;
  for (const Collective* each : collectives()) (known += known.empty() ? "" : ", ") += each->name;
  throw ChoiceError("there is no collective '" + std::string(name) + "'; expected one of " + known);
}

void check_ranks(int p) {
  if (p < 1) throw ChoiceError("p is " + std::to_string(p) + "; expected at least 1 rank");
}

void check_rank(const Shape& known, int rank) {
  check_ranks(known.p);
  if (rank < 0 || rank >= known.p)
    throw ChoiceError("there is no rank " + std::to_string(rank) + " among " +
                      std::to_string(known.p) + "; ranks are 0.." + std::to_string(known.p - 1));
}

// The algorithm of a choice, after a check that it can be analysed in that shape.
const Algorithm& analysed(const Choice& choice, const Shape& known) {
  check_rank(known, known.root);
  if (choice.native())
    throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
  shape_of(choice, known);
  return *choice.algorithm;
}

std::vector<Schedule> all_schedules(const Choice& choice, const Shape& known) {
  std::vector<Schedule> schedules;
  const Shape shape = shape_of(choice, known);
  for (int rank = 0; rank < known.p; ++rank) schedules.push_back(choice.schedule(shape, rank));
  return schedules;
}

// Papers state the costs for messages that travel whole, so only these are compared with claims.
std::string verify_choice(const Choice& choice, const Shape& known) {
  const Algorithm& algorithm = analysed(choice, known);
  const Shape shape = shape_of(choice, known);
  if (choice.travel == Travel::whole) return verify(algorithm, shape);
  return verify(algorithm, shape, all_schedules(choice, known));
}

std::string lockstep_choice(const Choice& choice, const Shape& known,
                            const std::vector<std::int64_t>& counts, bool in_place) {
  const Algorithm& algorithm = analysed(choice, known);
  const Shape shape = shape_of(choice, known);
  const int data = algorithm.collective.data(shape);
  if (data != static_cast<int>(counts.size()))
    throw ChoiceError(algorithm.path() + " with " + std::to_string(shape.p) + " ranks has " +
                      std::to_string(data) + " data, given are " + std::to_string(counts.size()));
  if (algorithm.blocks_alike &&
      std::ranges::adjacent_find(counts, std::not_equal_to{}) != counts.end())
    throw ChoiceError(algorithm.path() + " needs all blocks alike");
  ByteCall call{.counts = counts};
  call.in_place = in_place;
  return lockstep(algorithm, shape, call);
}

Traffic traffic_of(const Choice& choice, const Shape& known, std::int64_t block_bytes) {
  const Algorithm& algorithm = analysed(choice, known);
  const Shape shape = shape_of(choice, known);
  const std::vector<std::int64_t> bytes(algorithm.collective.data(shape), block_bytes);
  return traffic(
      algorithm.collective, shape, [&](int rank) { return choice.schedule(shape, rank); }, bytes);
}

Cost cost_of(const Choice& choice, const Shape& known) {
  const Algorithm& algorithm = analysed(choice, known);
  return count(algorithm, shape_of(choice, known));
}

std::optional<Cost> claim_of(const Choice& choice, const Shape& known) {
  const Algorithm& algorithm = analysed(choice, known);
  if (choice.travel != Travel::whole) return std::nullopt;
  return algorithm.claimed(shape_of(choice, known));
}

// The choice of the fixed rules for blocking calls under the MPI library with that text, as far as
// it follows from its usual components, and if ranks read each other's memory.
std::optional<Choice> fixed_rule(std::string_view text, std::string_view collective,
                                 const Shape& known, std::int64_t bytes, bool crowded,
                                 bool ethernet) {
  check_rank(known, known.root);
  const Collective& here = collective_named(collective);
  const MpiLibrary* const library = mpi_library_of(text);
  const Spread spread = spread_of(known);
  const int p = spread.ranks;
  if (spread.nodes == 1) {
    const NodeKind node{crowded, true, library == nullptr ? nullptr : library->rules};
    return node_rule(Form::blocking, here, p, node, bytes);
  }
  if (library == nullptr || !library->sends_only_messages || here.among_neighbors ||
      !network_rule_concerns(here, p, bytes, here.reduces))
    return {};
  const auto own = [&](std::int64_t size) {
    return native_algorithm(library->rules, Form::blocking, here, p, size);
  };
  // A component for nodes has an algorithm for every allreduce, and precedes the one for ranks.
  const bool has_nodes = spread.nodes < p && !library->rules
                                                  ->find(RuleTable::Section::own_nodes, allreduce,
                                                         spread, bytes, version_of(text))
                                                  .empty();
  const bool is_known = library->is_checkable && is_tested(text) && !has_nodes;
  if (is_known && !own(bytes)) return {};
  const auto ranking = ranking_of_few(here, known, usual_model(), true);
  const SizeRange sizes = size_range(bytes, here.reduces);
  const NetworkKind network = ethernet ? NetworkKind::ethernet : NetworkKind::any;
  const auto found = is_known ? network_rule(*ranking, own, sizes)
                              : network_rule(*ranking, network, here, p, sizes);
  return found ? std::optional(found->choice) : std::nullopt;
}

std::vector<Choice> variants(const Algorithm& algorithm, int p) {
  check_ranks(p);
  std::vector<Choice> result;
  for (Shape& shape : sample_shapes(algorithm, p)) {
    Choice choice{&algorithm, std::move(shape.parameters)};
    if (std::ranges::find(result, choice.text(), &Choice::text) == result.end())
      result.push_back(std::move(choice));
  }
  return result;
}

// The settings and shapes of the proofs.
std::vector<std::pair<Choice, Shape>> samples(const Algorithm& algorithm, int p) {
  check_ranks(p);
  std::vector<std::pair<Choice, Shape>> result;
  for (Shape& shape : sample_shapes(algorithm, p))
    result.emplace_back(Choice{&algorithm, shape.parameters}, shape);
  return result;
}

// Descriptors live as long as the program: Python refers to them and never frees them.
template <typename Entry>
nb::typed<nb::list, Entry> list_of(std::span<const Entry* const> entries) {
  nb::typed<nb::list, Entry> result;
  for (const Entry* each : entries) result.append(nb::cast(each, nb::rv_policy::reference));
  return result;
}

std::vector<std::int32_t> blocks_of(const BlockRange& range) {
  std::vector<std::int32_t> result;
  for_each_block(range, [&](int block) { result.push_back(block); });
  return result;
}

using Settings = nb::typed<nb::dict, nb::str, std::variant<int, std::string>>;

// Messages and copies refer to their schedule. For Python, each is copied with its contents.
struct PythonMessage {
  int peer;
  int channel;
  Travel travel;
  BlockRanges ranges;
};
struct PythonCopy {
  BlockRanges from, into;
  bool reduces;
};
struct PythonRound {
  std::vector<PythonMessage> sends, recvs;
  std::vector<PythonCopy> copies;
};

std::vector<PythonMessage> messages_of(const Schedule& schedule,
                                       std::span<const Message> messages) {
  std::vector<PythonMessage> result;
  for (const Message& each : messages) {
    const auto ranges = schedule.ranges(each);
    result.push_back({each.peer, each.channel, each.travel, {ranges.begin(), ranges.end()}});
  }
  return result;
}

PythonRound round_of(const Schedule& schedule, int round) {
  PythonRound result{messages_of(schedule, schedule.sends(round)),
                     messages_of(schedule, schedule.recvs(round)),
                     {}};
  for (const Step& each : schedule.steps(round)) {
    const auto from = schedule.from(each);
    const auto into = schedule.into(each);
    result.copies.push_back({{from.begin(), from.end()}, {into.begin(), into.end()}, each.reduces});
  }
  return result;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The part of the library without MPI, compiled from python/module.cpp.";
  module.attr("VERSION") = TOCCATA_VERSION;
  TextException<ChoiceError>(module, "ChoiceError", PyExc_ValueError).attr("__doc__") =
      "An invalid request; the text is one line that names the accepted values.";

  bind_topology(module);

  nb::class_<Collective>(module, "Collective", "A collective operation, such as allgather.")
      .def_ro("name", &Collective::name)
      .def_ro("variable", &Collective::variable,
              "The variable of the environment that names an algorithm, such as TOCCATA_ALLGATHER.")
      .def_ro("rooted", &Collective::rooted)
      .def_ro("reduces", &Collective::reduces)
      .def_prop_ro(
          "regular", [](const Collective& self) { return self.regular().name; },
          "The collective whose algorithms serve this one: of a vector form its regular form.")
      .def_ro("among_neighbors", &Collective::among_neighbors,
              "Whether a rank's peers are its neighbours in a topology.");

  nb::class_<Variable>(module, "Variable", "A setting, in the environment or in toccata.conf.")
      .def_ro("name", &Variable::name)
      .def_ro("values", &Variable::values, "The accepted values: \"on, off or all\".")
      .def_ro("standard", &Variable::standard, "The default.")
      .def_ro("unit", &Variable::unit, "The unit of numbers in the value; empty if there are none.")
      .def_ro("example", &Variable::example)
      .def_ro("meaning", &Variable::meaning,
              "A verb phrase; empty for settings that are not for users.");
  module.def(
      "variables",
      [] {
        const auto all = variables();
        return std::vector<Variable>(all.begin(), all.end());
      },
      "All settings except those that name algorithms: see Collective.variable.");

  nb::class_<OldSetting>(module, "OldSetting", "A setting that has another name now.")
      .def_ro("name", &OldSetting::name)
      .def_ro("value", &OldSetting::value)
      .def_ro("setting", &OldSetting::setting, "Its new name; \"\" if the value is the default.")
      .def_ro("now", &OldSetting::now, "The new value.");
  module.def("old_settings", [] {
    const auto all = old_settings();
    return std::vector<OldSetting>(all.begin(), all.end());
  });

  nb::class_<Parameter>(module, "Parameter",
                        "A parameter of an algorithm; values are given as the user writes them.")
      .def_ro("name", &Parameter::name)
      .def_ro("help", &Parameter::help)
      .def_prop_ro("accepts", &Parameter::accepts,
                   "The accepted values: \"per_round|per_block\" or \"2..64\".")
      .def_prop_ro("standard", [](const Parameter& self) { return self.text(self.standard); })
      .def_prop_ro("samples", [](const Parameter& self) {
        std::vector<std::string> result;
        for (const int value : self.samples) result.push_back(self.text(value));
        return result;
      });

  nb::class_<Cost>(module, "Cost",
                   "The cost of an algorithm: the maximum of each number over the ranks.")
      .def(
          "__init__",
          [](Cost* self, std::int64_t rounds, std::int64_t messages, std::int64_t sent,
             std::int64_t copied, std::int64_t reduced) {
            new (self) Cost{rounds, messages, sent, copied, reduced};
          },
          "rounds"_a, "messages"_a, "sent"_a, "copied"_a = 0, "reduced"_a = 0)
      .def_ro("rounds", &Cost::rounds)
      .def_ro("messages", &Cost::messages)
      .def_ro("sent", &Cost::sent, "Blocks sent by a rank.")
      .def_ro("copied", &Cost::copied, "Blocks copied by a rank.")
      .def_ro("reduced", &Cost::reduced, "Blocks reduced into others by a rank.");

  nb::class_<Traffic>(module, "Traffic",
                      "The work in schedules: the maximum of each number over the ranks.")
      .def_ro("rounds", &Traffic::rounds)
      .def_ro("messages", &Traffic::messages)
      .def_ro("sent", &Traffic::sent, "Blocks.")
      .def_ro("sent_bytes", &Traffic::sent_bytes)
      .def_ro("copied", &Traffic::copied, "Blocks.")
      .def_ro("copied_bytes", &Traffic::copied_bytes)
      .def_ro("reduced", &Traffic::reduced, "Blocks.")
      .def_ro("reduced_bytes", &Traffic::reduced_bytes);

  nb::class_<BlockRange>(module, "BlockRange",
                         "`repeat` runs of `count` consecutive blocks, `stride` blocks apart.")
      .def_prop_ro(
          "buffer", [](const BlockRange& self) { return name(self.buffer); },
          "\"send\", \"recv\" or \"scratch\".")
      .def_ro("first", &BlockRange::first)
      .def_ro("count", &BlockRange::count)
      .def_ro("stride", &BlockRange::stride)
      .def_ro("repeat", &BlockRange::repeat)
      .def_prop_ro("blocks", &blocks_of, "Every block, in order.");

  nb::class_<PythonMessage>(module, "Message", "The blocks of a message to or from one peer.")
      .def_ro("peer", &PythonMessage::peer)
      .def_ro("channel", &PythonMessage::channel)
      .def_prop_ro("travel", [](const PythonMessage& self) { return name(self.travel); })
      .def_ro("ranges", &PythonMessage::ranges);
  nb::class_<PythonCopy>(
      module, "Copy",
      "A local step: block i of `source` is copied to block i of `target`, or reduced into it.")
      .def_ro("source", &PythonCopy::from)
      .def_ro("target", &PythonCopy::into)
      .def_ro("reduces", &PythonCopy::reduces);
  nb::class_<PythonRound>(module, "Round", "Messages in flight together, then local copies.")
      .def_ro("sends", &PythonRound::sends)
      .def_ro("recvs", &PythonRound::recvs)
      .def_ro("copies", &PythonRound::copies);

  nb::class_<Schedule>(module, "Schedule",
                       "The schedule of one rank. `len()` is the number of its rounds.")
      .def("__len__", &Schedule::rounds)
      .def(
          "round",
          [](const Schedule& self, int round) {
            if (round < 0 || round >= self.rounds())
              throw nb::index_error("there is no such round");
            return round_of(self, round);
          },
          "round"_a)
      .def_prop_ro("scratch", &Schedule::scratch,
                   "The blocks that determine the sizes of the scratch blocks.");

  nb::class_<Algorithm>(module, "Algorithm", "The descriptor of an algorithm.")
      .def_prop_ro("path", &Algorithm::path, "Such as \"allgather/sparbit\".")
      .def_prop_ro("collective", [](const Algorithm& self) { return self.collective.name; })
      .def_ro("name", &Algorithm::name)
      .def_ro("summary", &Algorithm::summary)
      .def_ro("citation", &Algorithm::citation)
      .def_prop_ro("parameters",
                   [](const Algorithm& self) {
                     return std::vector<Parameter>(self.parameters.begin(), self.parameters.end());
                   })
      .def_ro(
          "relays", &Algorithm::relays,
          "Whether ranks forward blocks of others; if so, it cannot serve gatherv and scatterv.")
      .def_ro(
          "publishes", &Algorithm::publishes,
          "Whether it publishes blocks in memory that the ranks share. Other ranks get messages.")
      .def_ro(
          "ordered", &Algorithm::ordered,
          "Whether a reduction keeps the order of the ranks, for operations that do not commute.")
      .def_ro("reproducible", &Algorithm::reproducible,
              "Whether a reduction evaluates the standard expression of p ranks for every element.")
      .def_prop_ro("proved", &is_proved,
                   "Whether it passed the proof of the build; if not, it only runs if it is named.")
      .def("variants", &variants, "p"_a,
           "All sampled settings of its parameters that are possible with p ranks.")
      .def("samples", &samples, "p"_a,
           "The same with several roots, placements and grids: the cases of proofs.")
      .def_ro("by_placement", &Algorithm::by_placement,
              "Whether it depends on the placement of the ranks.")
      .def_ro("by_grid", &Algorithm::by_grid, "Whether it depends on the mesh of the ranks.");

  nb::class_<Choice>(module, "Choice",
                     "An algorithm with its parameters, or the MPI library's own.\n\n"
                     "All methods raise ChoiceError for shapes in which the algorithm cannot run. "
                     "They do so for the native algorithm, too, because its schedules are unknown.")
      .def_prop_ro("native", &Choice::native)
      .def_prop_ro("text", &Choice::text, "Such as \"sparbit:messages=per_block\".")
      .def_prop_ro(
          "settings",
          [](const Choice& self) {
            Settings result;
            if (self.native()) return result;
            for (const Parameter& each : self.algorithm->parameters) {
              const int value = self.parameters[each];
              const nb::str name(each.name.data(), each.name.size());
              if (each.is_choice())
                result[name] = nb::str(each.words[value].data(), each.words[value].size());
              else
                result[name] = value;
            }
            return result;
          },
          "The values of its parameters, by their names.")
      .def(
          "completed", [](const Choice& self, const Shape& known) { return self.in(known); },
          "shape"_a, "The shape with the algorithm's settings and parts.")
      .def_prop_ro(
          "algorithm", [](const Choice& self) { return self.algorithm; }, nb::rv_policy::reference,
          nb::sig("def algorithm(self) -> Algorithm | None"), "None if native.")
      .def(
          "why_impossible",
          [](const Choice& self, Shape known) {
            check_ranks(known.p);
            known.parameters = self.parameters;
            return self.native() ? "" : self.algorithm->why_impossible(known);
          },
          "shape"_a, "Such as \"needs an even number of ranks\"; empty if the choice is possible.")
      .def("cost", &cost_of, "shape"_a,
           "The counted cost: of all ranks' schedules if there are few, otherwise of a sample.")
      .def("claim", &claim_of, "shape"_a,
           "The cost according to the literature; None without a closed form.")
      .def(
          "proof_effort",
          [](const Choice& self, const Shape& known) {
            return proof_effort(analysed(self, known), shape_of(self, known));
          },
          "shape"_a, nb::call_guard<nb::gil_scoped_release>(),
          "The approximate number of blocks that a proof moves or inspects; a second is enough for "
          "40 million.")
      .def_prop_ro(
          "rooted",
          [](const Choice& self) { return !self.native() && self.algorithm->collective.rooted; })
      .def_prop_ro(
          "reduces",
          [](const Choice& self) { return !self.native() && self.algorithm->collective.reduces; })
      .def(
          "schedule",
          [](const Choice& self, const Shape& known, int rank) {
            check_rank(known, rank);
            analysed(self, known);
            return self.schedule(shape_of(self, known), rank);
          },
          "shape"_a, "rank"_a)
      .def(
          "before",
          [](const Choice& self, const Shape& known, int rank, bool recv) {
            check_rank(known, rank);
            const Collective& collective = analysed(self, known).collective;
            const Shape shape = shape_of(self, known);
            const Buffer buffer = recv ? Buffer::recv : Buffer::send;
            std::vector<Datum> result(collective.blocks(shape, rank, buffer));
            for (int block = 0; block < static_cast<int>(result.size()); ++block)
              result[block] = collective.before(shape, rank, buffer, block);
            return result;
          },
          "shape"_a, "rank"_a, "recv"_a,
          "The datum of each block of send or recv before the call; -1 for none.")
      .def(
          "data",
          [](const Choice& self, const Shape& known) {
            return analysed(self, known).collective.data(shape_of(self, known));
          },
          "shape"_a, "The number of blocks into which the choice cuts the whole vector.")
      .def("traffic", &traffic_of, "shape"_a, "block_bytes"_a = 1,
           nb::call_guard<nb::gil_scoped_release>())
      .def("verify", &verify_choice, "shape"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Proves the choice, in place and not. Returns the first error in one line, or \"\".")
      .def("lockstep", &lockstep_choice, "shape"_a, "counts"_a, "in_place"_a = false,
           nb::call_guard<nb::gil_scoped_release>(),
           "Runs all ranks on real bytes; datum d has counts[d] elements. Returns the first error, "
           "or \"\".");

  bind_cost(module);
  bind_links(module);
  bind_networks(module);

  module.def(
      "ranks_to_prove", &ranks_to_prove, "most"_a,
      "Numbers of ranks for which algorithms are proved: 1 to `most`, and some irregular ones.");
  // Of a proof, in blocks: larger cases are left out.
  module.attr("MOST_PROOF_EFFORT") = most_proof_effort;
  module.def("collectives", [] { return list_of(collectives()); });
  module.def(
      "algorithms", [] { return list_of(all_algorithms()); }, "Every algorithm, ordered by path.");
  module.def(
      "parse_choice",
      [](std::string_view collective, std::string_view text) {
        return parse_choice(collective_named(collective), text);
      },
      "collective"_a, "text"_a, "Reads \"NAME\" or \"NAME:PARAMETER=VALUE,...\".");

  module.def(
      "parse_sized_choice",
      [](std::string_view collective, std::string_view text) {
        std::vector<std::pair<std::int64_t, Choice>> result;
        const SizedChoice parsed = parse_sized_choice(collective_named(collective), text);
        for (const auto& [most, choice] : parsed.ranges()) result.emplace_back(most, choice);
        return result;
      },
      "collective"_a, "text"_a,
      "From \"locality_bruck<=4K, native\": the choices with their limits in bytes, in ascending "
      "order.");
  nb::class_<Configuration>(module, "Configuration",
                            "Settings: the environment takes precedence over files such as "
                            "toccata.conf. Old settings are "
                            "replaced by new ones.")
      .def(
          "__init__",
          [](Configuration* self, const std::vector<std::string>& files,
             const std::map<std::string, std::string>& environment) {
            std::vector<std::string> settings;
            for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
            new (self) Configuration(files, settings);
          },
          "files"_a, "environment"_a = std::map<std::string, std::string>())
      .def("value", &Configuration::value, "name"_a)
      .def("origin", &Configuration::origin, "name"_a,
           "\"the environment\", or a file; \"\" if it is not set.")
      .def_prop_ro("names", &Configuration::names, "The names of all settings.")
      .def_prop_ro("files", &Configuration::files, "The existing files.")
      .def_prop_ro("complaints", &Configuration::complaints);
  nb::class_<TopologySetting>(module, "TopologySetting", "The parts of TOCCATA_TOPOLOGY.")
      .def_ro("machine", &TopologySetting::machine, "A file or a machine; \"\" if not given.")
      .def_ro("placement", &TopologySetting::placement, "Of the ranks; \"\" if not given.");
  module.def("parse_topology_setting", &parse_topology_setting, "value"_a,
             "From \"node:4 core:8 placement:cyclic reorder:auto\". ChoiceError if the value of "
             "reorder: is unknown.");
  module.def(
      "configuration_files", &configuration_files, "library"_a,
      "The paths of toccata.conf: of the user, and of the site (the installation of the library).");
  module.def("tuning_folders", &tuning_folders, "library"_a,
             "The folders with tuning files: of the user, and of the site.");
  nb::class_<MpiLibrary>(
      module, "MpiLibrary",
      "An MPI library that is recognised by its text from MPI_Get_library_version.")
      .def_ro("name", &MpiLibrary::name)
      .def_ro("sign", &MpiLibrary::sign,
              "The part of that text before the version, such as \"Open MPI v\".")
      .def_ro("family", &MpiLibrary::family,
              "The family with the same binary interface; \"\" if no library of Toccata serves it.")
      .def_ro("tested", &MpiLibrary::tested,
              "The versions with which our tests run, such as \"4.1, 5.0\".");
  module.def("mpi_libraries", [] {
    const auto all = mpi_libraries();
    return std::vector<MpiLibrary>(all.begin(), all.end());
  });
  module.def(
      "mpi_library_of",
      [](std::string_view text) -> std::optional<MpiLibrary> {
        const MpiLibrary* const found = mpi_library_of(text);
        return found == nullptr ? std::nullopt : std::optional(*found);
      },
      "text"_a, "The library with that text; None if it is unknown.");
  module.def("is_tested", &is_tested, "text"_a,
             "Whether our tests run with the version of that text.");
  // With which a model proposes to replace an MPI library's algorithm.
  module.attr("LEAST_PREDICTED_GAIN") = least_predicted_gain;
  module.def(
      "native_algorithm",
      [](std::string_view mpi, std::string_view collective, int p, std::int64_t unit_bytes) {
        check_ranks(p);
        return native_algorithm(shipped_rules(mpi), Form::blocking, collective_named(collective), p,
                                unit_bytes);
      },
      "mpi"_a, "collective"_a, "p"_a, "unit_bytes"_a,
      "The algorithm that the MPI library with these rules (\"open_mpi\") selects by itself, in "
      "our "
      "form; None if that is unknown.");
  module.def(
      "native_algorithm_of",
      [](std::string_view text, std::string_view collective, const Shape& shape,
         std::int64_t unit_bytes, bool blocking) -> std::optional<Choice> {
        check_rank(shape, shape.root);
        const Collective& here = collective_named(collective);
        const MpiLibrary* const library = mpi_library_of(text);
        if (library == nullptr || !library->is_predictable) return {};
        if (!blocking)
          return native_algorithm(library->rules, Form::nonblocking, here, shape.p, unit_bytes);
        return native_algorithm(library->rules, here, spread_of(shape), unit_bytes,
                                version_of(text));
      },
      "text"_a, "collective"_a, "shape"_a, "unit_bytes"_a, "blocking"_a = true,
      "The same for the MPI library with that text from MPI_Get_library_version, and for the nodes "
      "of the ranks.");
  module.def(
      "network_rule",
      [](std::string_view mpi, std::string_view collective, const Shape& known,
         const std::vector<std::int64_t>& unit_bytes, bool published, bool ethernet) {
        check_rank(known, known.root);
        const Collective& here = collective_named(collective);
        const auto ranking = ranking_of_few(here, known, usual_model(), published);
        const auto own = [&](std::int64_t bytes) {
          return native_algorithm(shipped_rules(mpi), Form::blocking, here, known.p, bytes);
        };
        const auto network = ethernet ? NetworkKind::ethernet : NetworkKind::any;
        std::vector<std::optional<Choice>> result;
        for (const std::int64_t bytes : unit_bytes) {
          const SizeRange sizes = size_range(bytes, here.reduces);
          const auto found = mpi.empty() ? network_rule(*ranking, network, here, known.p, sizes)
                                         : network_rule(*ranking, own, sizes);
          result.push_back(found ? std::optional(found->choice) : std::nullopt);
        }
        return result;
      },
      "mpi"_a, "collective"_a, "shape"_a, "unit_bytes"_a, "published"_a = false,
      "ethernet"_a = false, nb::call_guard<nb::gil_scoped_release>(),
      "For the size class up to each size: the choice of the rule for networks.\n\n"
      "None if no gain over the MPI library's own algorithm is certain; `mpi` is the name of a "
      "file "
      "of rules (\"open_mpi\"). If it is \"\", None if each choice may lose much to one of the "
      "known "
      "algorithms, on any network, or on Ethernet. `published`: with messages published inside "
      "nodes, where that takes less time.");
  module.def(
      "fixed_rule", &fixed_rule, "text"_a, "collective"_a, "shape"_a, "unit_bytes"_a,
      "crowded"_a = false, "ethernet"_a = false, nb::call_guard<nb::gil_scoped_release>(),
      "The choice of the fixed rules for a blocking call, in which a reduction is a floating-point "
      "sum.\n\n"
      "The MPI library has that text from MPI_Get_library_version, and its usual components. "
      "`crowded`: ranks share cores. `ethernet`: nodes have no other network. None if no rule "
      "contains the call.");
  module.def("complaint_of_variable", &complaint_of_variable, "name"_a,
             "The error in a variable's name; \"\" for a known name, and for variables of others.");
  module.def("complaint_of_value", &complaint_of_value, "name"_a, "value"_a,
             "The accepted values of a setting if the value is not one of them; otherwise \"\".");

  using Ranked = std::vector<std::pair<Choice, double>>;
  const auto by_size = [](std::string_view collective, const Shape& known, const Model& model,
                          const std::vector<std::int64_t>& unit_bytes, auto chosen,
                          Ranking::Setting setting = Ranking::Setting::near) {
    check_rank(known, known.root);
    const Ranking ranking(collective_named(collective), known, model, {}, setting);
    std::vector<Ranked> result;
    for (const std::int64_t bytes : unit_bytes) {
      Ranked& ranked = result.emplace_back();
      std::vector<Ranking::Entry> entries = (ranking.*chosen)(bytes);
      for (Ranking::Entry& each : entries)
        ranked.emplace_back(std::move(each.choice), each.seconds);
    }
    return result;
  };
  module.def(
      "rank",
      [by_size](std::string_view collective, const Shape& known, const Model& model,
                const std::vector<std::int64_t>& unit_bytes, bool standard) {
        return by_size(collective, known, model, unit_bytes, &Ranking::at,
                       standard ? Ranking::Setting::standard : Ranking::Setting::near);
      },
      "collective"_a, "shape"_a, "model"_a, "unit_bytes"_a, "standard"_a = false,
      nb::call_guard<nb::gil_scoped_release>(),
      "The library's ranking by a model, faster and less precise than a Predictor.\n\n"
      "For each size: the algorithms that can run, with seconds, the fastest first. Each has its "
      "fastest setting, or the default one.");
  module.def(
      "worth_trying",
      [by_size](std::string_view collective, const Shape& known, const Model& model,
                const std::vector<std::int64_t>& unit_bytes, bool published) {
        return by_size(collective, known, model, unit_bytes, &Ranking::worth_trying,
                       published ? Ranking::Setting::near_or_published : Ranking::Setting::near);
      },
      "collective"_a, "shape"_a, "model"_a, "unit_bytes"_a, "published"_a = false,
      nb::call_guard<nb::gil_scoped_release>(),
      "The candidates among these that the library tries if it has no measurements. `published`: "
      "also with messages published inside nodes, as blocking calls try on several nodes.");
  module.def(
      "tuned",
      [](const std::string& path, std::string_view collective, int ranks, int nodes,
         std::int64_t bytes) -> std::optional<Choice> {
        std::string unknown;
        try {
          const Tuning tuning = read_tuning(path, unknown);
          const Tuning::Point* found =
              tuning.find(collective_named(collective), ranks, nodes, bytes);
          return found == nullptr ? std::nullopt : std::optional(found->choice);
        } catch (const TuningError& error) {
          throw ChoiceError(error.what());
        }
      },
      "path"_a, "collective"_a, "ranks"_a, "nodes"_a, "bytes"_a,
      "The library's choice for this call by a tuning file; None if the file has none.");
  // By so much numbers of ranks may differ from those of a point that decides, as a ratio.
  module.attr("TUNING_REACH") = Tuning::reach;
  module.attr("TUNING_REACH_OF_SIZES") = Tuning::reach_of_sizes;
  module.def("usual_model", &usual_model, nb::rv_policy::copy, "The model for an unknown machine.");

  bind_outside(module);
  bind_crossings(module);
  bind_reorder(module);
  bind_selection(module);
  bind_walks(module);
}
