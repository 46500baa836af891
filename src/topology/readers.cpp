#include "topology/readers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "topology/hostlist.h"
#include "topology/hwloc.h"
#include "topology/lines.h"
#include "topology/placements.h"
#include "topology/synthetic.h"
#include "topology/words.h"

namespace toccata {

namespace {

constexpr std::string_view kinds_of_files =
    "Slurm's topology.conf, the output of `scontrol show topology` or ibnetdiscover, hwloc's XML, "
    "or "
    "a file of toccata topo --save";

// The first word up to = of a line, in lower case.
std::string key_of(std::string_view line) {
  const auto words = split_words(line);
  if (words.empty()) return "";  // a single \ contains no word
  std::string key(words.front().substr(0, words.front().find('=')));
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

enum class Kind { slurm, ibnetdiscover, hwloc, saved };

Kind kind_of(const std::string& text, const std::string& file) {
  if (text.starts_with('<')) return Kind::hwloc;
  Lines lines(text, file);
  if (!lines.next()) lines.fail_all("is empty; expected " + std::string(kinds_of_files));
  const std::string key = key_of(lines.line());
  using Known = std::pair<std::string_view, Kind>;
  static constexpr std::array known{Known{"machine", Kind::saved},
                                    Known{"switchname", Kind::slurm},
                                    Known{"blockname", Kind::slurm},
                                    Known{"blocksizes", Kind::slurm},
                                    Known{"include", Kind::slurm},
                                    Known{"vendid", Kind::ibnetdiscover},
                                    Known{"devid", Kind::ibnetdiscover},
                                    Known{"sysimgguid", Kind::ibnetdiscover},
                                    Known{"switchguid", Kind::ibnetdiscover},
                                    Known{"caguid", Kind::ibnetdiscover},
                                    Known{"rtguid", Kind::ibnetdiscover},
                                    Known{"switch", Kind::ibnetdiscover},
                                    Known{"ca", Kind::ibnetdiscover},
                                    Known{"rt", Kind::ibnetdiscover},
                                    Known{"chassis", Kind::ibnetdiscover},
                                    Known{"non-chassis", Kind::ibnetdiscover}};
  const auto found = std::ranges::find(known, key, &Known::first);
  if (found == known.end()) {
    const bool is_yaml = key == "-" || key == "---" || key.starts_with('%') ||
                         (key.ends_with(':') && !key.starts_with('{'));
    lines.fail(quoted(lines.line().substr(0, 80)) +
               (is_yaml
                    ? " is YAML, which Toccata does not read; give the output of `scontrol show "
                      "topology` in a file"
                    : " is unknown; expected " + std::string(kinds_of_files)));
  }
  return found->second;
}

Machine read_file(const std::string& file) {
  const std::string text = text_of_topology(file);
  switch (kind_of(text, file)) {
    case Kind::slurm:
      return read_slurm(text, file);
    case Kind::ibnetdiscover:
      return read_ibnetdiscover(text, file);
    case Kind::hwloc:
      return read_hwloc_xml(text, file);
    case Kind::saved:
      break;
  }
  return read_saved(text, file);
}

// Also true for a kind of file that cannot be read; read_file then gives the reason.
bool is_file(std::string_view text) {
  std::error_code error;
  return !text.empty() && std::filesystem::exists(text, error) &&
         !std::filesystem::is_directory(text, error);
}

}  // namespace

std::optional<Fabric> read_fabric_in(const std::string& file) {
  const std::string text = text_of_topology(file);
  if (kind_of(text, file) != Kind::ibnetdiscover) return {};
  return read_fabric(text, file);
}

Machine read_machine(std::string_view text) {
  if (is_file(text)) return read_file(std::string(text));
  const auto words = split_words(text);
  if (!words.empty() && is_file(words.front())) {
    const Machine outside = read_file(std::string(words.front()));
    Machine machine = parse_inside(
        outside, text.substr(words.front().data() + words.front().size() - text.data()));
    machine.remark(outside.remark());
    return machine;
  }
  if (std::error_code error; std::filesystem::is_directory(text, error))
    throw TopologyError(quoted(text) + " is a directory; give a file in it");
  if (!words.empty() && words.front().find(':') == std::string_view::npos &&
      (words.size() == 1 || words.front().find_first_of("./") != std::string_view::npos))
    throw TopologyError("there is no file " + quoted(words.front()) +
                        "; give a file, or levels: node:2 socket:2 core:8");
  return parse_machine(text);
}

// tree bcast 1 -,0,0,1
static void add_tree(const Lines& lines, const std::vector<std::string_view>& words,
                     const Machine& machine, PackedTrees& trees) {
  std::vector<PackedTree>* const of = words.size() == 4 ? trees.find(words[1]) : nullptr;
  const std::optional<int> weight = of != nullptr ? parse_number(words[2]) : std::nullopt;
  if (!weight) lines.fail("expected tree bcast|allreduce|allgather, a weight, and the parents");
  try {
    of->emplace_back(*weight, read_parents(words[3]));
  } catch (const std::invalid_argument& error) {
    lines.fail("the tree " + std::string(error.what()));
  }
  const int nodes = node_level(machine) < 0 ? 0 : machine.objects(node_level(machine));
  if (of->back().nodes() != nodes)
    lines.fail("the tree has " + std::to_string(of->back().nodes()) +
               " nodes, but the machine has " + std::to_string(nodes));
}

Machine read_saved(std::string_view contents, const std::string& file) {
  Lines lines(contents, file);
  std::optional<Machine> machine;
  std::vector<Machine::Level> levels;
  const auto trees = std::make_shared<PackedTrees>();
  bool has_trees = false;
  while (lines.next()) {
    const auto words = split_words(lines.line());
    if (words.front() == "machine") {
      if (machine) lines.fail("there are two machines");
      const std::string_view line = lines.line();
      machine = lines.placed([&] {
        return parse_machine(
            line.substr(line.find("machine") + std::string_view("machine").size()));
      });
      for (int level = 0; level < machine->levels(); ++level)
        levels.push_back(machine->level(level));
    } else if (words.front() == "labels" && machine) {
      const int level = words.size() == 3 ? machine->find(words[1]) : -1;
      if (level < 0) lines.fail("expected labels, a level of the machine, and names");
      levels[level].labels = lines.placed([&] { return expand_hosts(words[2]); });
      if (levels[level].labels.size() != levels[level].outer.size())
        lines.fail("there are " + std::to_string(levels[level].labels.size()) + " labels for " +
                   std::to_string(levels[level].outer.size()) + " objects");
    } else if (words.front() == "tree" && machine) {
      add_tree(lines, words, *machine, *trees);
      has_trees = true;
    } else if ((words.front() == "links" || words.front() == "choice") && machine) {
      // Slow links, for the commands that compute with a network; the trees already avoid them. The
      // choices of algorithms for these links are among the settings.
    } else {
      lines.fail(quoted(words.front()) +
                 " cannot begin a line; expected machine, then labels, links, choice or tree");
    }
  }
  if (!machine) lines.fail_all("has no machine");
  return Machine(std::move(levels), machine->network(), has_trees ? trees : nullptr);
}

// Replaces characters that a list of hosts cannot contain.
static std::vector<std::string> plain(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.empty()) name = "-";
    std::ranges::replace_if(
        name,
        [](char c) { return std::string_view(",[]# \t\\").find(c) != std::string_view::npos; },
        '_');
  }
  return names;
}

std::string saved(const Machine& machine) {
  std::string result = "machine " + text(machine) + "\n";
  for (int level = 0; level < machine.levels(); ++level)
    if (const std::vector<std::string>& labels = machine.level(level).labels; !labels.empty())
      result +=
          "labels " + std::string(machine.name(level)) + " " + fold_hosts(plain(labels)) + "\n";
  const auto add = [&](std::string_view collective, const std::vector<PackedTree>& trees) {
    for (const PackedTree& each : trees)
      result += "tree " + std::string(collective) + " " + std::to_string(each.weight()) + " " +
                parents_text(each) + "\n";
  };
  if (machine.trees() != nullptr) {
    add("bcast", machine.trees()->bcast);
    add("allreduce", machine.trees()->allreduce);
    add("allgather", machine.trees()->allgather);
  }
  return result;
}

}  // namespace toccata
