#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "topology/hostlist.h"
#include "topology/lines.h"
#include "topology/readers.h"
#include "topology/switches.h"
#include "topology/words.h"

namespace toccata {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

using Settings = std::map<std::string, std::string, std::less<>>;  // keys in lower case

constexpr int most_levels = 32;         // of switches
constexpr std::size_t most_files = 64;  // with those that it includes

class Reader {
 public:
  Machine read(std::string_view contents, const std::string& file) {
    read_file(contents, file);
    if (!blocks_.empty()) return block_machine();
    if (graph_.switches.empty())
      Lines::fail_at(file, "has no SwitchName= and no BlockName=; add the switches or blocks");
    return switch_machine();
  }

 private:
  void read_file(std::string_view contents, const std::string& file) {
    std::error_code error;
    files_.push_back(std::filesystem::weakly_canonical(file, error));
    Lines lines(contents, file);
    const Lines* const outer = std::exchange(lines_, &lines);
    while (lines.next()) read_line();
    lines_ = outer;
  }

  void read_line() {
    if (const auto words = split_words(lines_->line());
        !words.empty() && lower(words.front()) == "include")
      return include(words);
    const Settings settings = read_settings();
    if (settings.contains("switchname"))
      add_switch(settings);
    else if (settings.contains("blockname"))
      add_block(settings);
    else if (settings.contains("aggregatedblock"))  // of scontrol; the blocks precede it
      add_size(settings);
    else if (const auto sizes = settings.find("blocksizes"); sizes != settings.end())
      read_sizes(sizes->second);
    else
      lines_->fail(quoted(lines_->line()) +
                   " is unknown; expected SwitchName=, BlockName=, BlockSizes= or include FILE");
    if (!graph_.switches.empty() && !blocks_.empty())
      lines_->fail("the file has both switches and blocks; remove one of the two kinds");
  }

  // Relative to the folder of the file, as Slurm does.
  void include(const std::vector<std::string_view>& words) {
    if (words.size() != 2) lines_->fail("expected one file: include FILE");
    const std::filesystem::path path =
        std::filesystem::path(lines_->file()).parent_path() / words.back();
    std::error_code error;
    if (std::ranges::find(files_, std::filesystem::weakly_canonical(path, error)) != files_.end())
      lines_->fail("includes " + quoted(words.back()) + " again; include each file once");
    if (files_.size() == most_files)
      lines_->fail("includes more than " + std::to_string(most_files) +
                   " files; join some of them");
    read_file(lines_->placed([&] { return text_of_topology(path); }), path);
  }

  Settings read_settings() const {
    Settings settings;
    for (const std::string_view word : split_words(lines_->line())) {
      const std::size_t equals = word.find('=');
      if (equals == word.npos || equals + 1 == word.size())
        lines_->fail(quoted(word) + " is not a setting; write KEY=VALUE");
      if (!settings.emplace(lower(word.substr(0, equals)), word.substr(equals + 1)).second)
        lines_->fail(std::string(word.substr(0, equals)) + " is given twice");
    }
    return settings;
  }

  std::vector<std::string> hosts(const std::string& list) const {
    return lines_->placed([&] { return expand_hosts(list); });
  }

  // Names must be unique.
  void claim_node(const std::string& node, const std::string& by) {
    const auto [known, is_new] = owner_.emplace(node, by);
    if (!is_new)
      lines_->fail("node " + node + " is in " + known->second + " and in " + by +
                   "; list it only once");
  }

  void add_switch(const Settings& settings) {
    const std::string& name = settings.find("switchname")->second;
    for (const auto& [key, value] : settings)
      if (key != "switchname" && key != "nodes" && key != "switches" && key != "linkspeed" &&
          key != "level")
        lines_->fail("a switch has Nodes= or Switches=, but not " + key + "=");
    auto nodes = settings.find("nodes");
    const auto switches = settings.find("switches");
    // scontrol, which adds Level=, also lists the nodes of the switches below.
    if (settings.contains("level") && switches != settings.end()) nodes = settings.end();
    if ((nodes == settings.end()) == (switches == settings.end()))
      lines_->fail("switch " + name + " needs either Nodes= or Switches=");
    if (!by_name_.emplace(name, static_cast<int>(graph_.switches.size())).second)
      lines_->fail("switch " + quoted(name) + " occurs twice");
    graph_.switches.push_back({name});
    below_.push_back({lines_->place()});
    if (nodes != settings.end()) {
      graph_.switches.back().nodes = hosts(nodes->second);
      for (const std::string& node : graph_.switches.back().nodes)
        claim_node(node, "switch " + name);
    } else {
      below_.back().names = hosts(switches->second);
    }
  }

  Machine switch_machine() {
    std::vector<std::vector<int>> below(below_.size());
    for (std::size_t i = 0; i < below_.size(); ++i)
      for (const std::string& name : below_[i].names) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end())
          Lines::fail_at(below_[i].place,
                         "switch " + graph_.switches[i].name + " has a switch " + quoted(name) +
                             " below it, but no line has SwitchName=" + name + "; add it");
        below[i].push_back(found->second);
      }
    measure(below);
    in_order(below);
    return graph_.machine(SwitchGraph::Levels::all);
  }

  // Finds the heights from the nodes upwards. The remaining switches are above a circle.
  void measure(const std::vector<std::vector<int>>& below) {
    const int number = static_cast<int>(below.size());
    std::vector<std::vector<int>> above(number);
    std::vector<int> unknown(number);  // the number of switches below whose height is unknown
    std::vector<int> known;
    for (int i = 0; i < number; ++i) {
      unknown[i] = static_cast<int>(below[i].size());
      if (unknown[i] == 0) {
        graph_.switches[i].height = 0;
        known.push_back(i);
      }
      for (const int each : below[i]) above[each].push_back(i);
    }
    for (std::size_t i = 0; i < known.size(); ++i)
      for (const int each : above[known[i]]) {
        int& height = graph_.switches[each].height;
        height = std::max(height, graph_.switches[known[i]].height + 1);
        if (height == most_levels)
          Lines::fail_at(below_[each].place, "switch " + graph_.switches[each].name + " has " +
                                                 std::to_string(most_levels) +
                                                 " levels of switches below it; remove some");
        if (--unknown[each] == 0) known.push_back(each);
      }
    const auto rest = std::ranges::find_if(unknown, [](int each) { return each > 0; });
    if (rest == unknown.end()) return;
    int at = static_cast<int>(rest - unknown.begin());
    for (int step = 0; step < number; ++step)  // now it is in the circle
      at = *std::ranges::find_if(below[at], [&](int each) { return unknown[each] > 0; });
    Lines::fail_at(below_[at].place, "switch " + graph_.switches[at].name +
                                         " is below itself; correct its Switches=");
  }

  // Numbers the switches in the order of the tree: a switch after those below it.
  void in_order(const std::vector<std::vector<int>>& below) {
    const int number = static_cast<int>(below.size());
    std::vector<bool> has_above(number, false);
    for (const std::vector<int>& each : below)
      for (const int i : each) has_above[i] = true;
    std::vector<int> place(number, -1);
    std::vector<SwitchGraph::Switch> ordered;
    const auto add = [&](int i, const auto& again) -> void {
      if (place[i] >= 0) return;
      for (const int each : below[i]) again(each, again);
      place[i] = static_cast<int>(ordered.size());
      ordered.push_back(std::move(graph_.switches[i]));
    };
    for (int i = 0; i < number; ++i)
      if (!has_above[i]) add(i, add);
    for (int i = 0; i < number; ++i)
      for (const int each : below[i]) {
        ordered[place[i]].neighbors.insert(place[each]);
        ordered[place[each]].neighbors.insert(place[i]);
      }
    graph_.switches = std::move(ordered);
  }

  void add_block(const Settings& settings) {
    const std::string& name = settings.find("blockname")->second;
    for (const auto& [key, value] : settings)
      if (key != "blockname" && key != "nodes" && key != "blocksizes" && key != "blockindex" &&
          key != "blocksize")
        lines_->fail("a block has Nodes=, but not " + key + "=");
    const auto nodes = settings.find("nodes");
    if (nodes == settings.end()) lines_->fail("block " + name + " needs Nodes=");
    if (!by_name_.emplace(name, static_cast<int>(blocks_.size())).second)
      lines_->fail("block " + quoted(name) + " occurs twice");
    blocks_.push_back({name, hosts(nodes->second)});
    for (const std::string& node : blocks_.back().nodes) claim_node(node, "block " + name);
    if (const auto sizes = settings.find("blocksizes"); sizes != settings.end())
      read_sizes(sizes->second);
    add_size(settings);
  }

  // scontrol prints the size of each block, and those of larger blocks in ascending order.
  void add_size(const Settings& settings) {
    const auto size = settings.find("blocksize");
    if (size == settings.end()) return;
    if (sizes_.empty() || std::to_string(sizes_.back()) != size->second)
      take_size(size->second, "BlockSize=" + size->second);
  }

  // The size of a block, and of the larger blocks that adjoining blocks form.
  void read_sizes(const std::string& list) {
    if (!sizes_.empty()) lines_->fail("BlockSizes is given twice");
    for (const std::string_view piece : split(list, ',')) take_size(piece, "BlockSizes=" + list);
  }

  void take_size(std::string_view text, const std::string& setting) {
    const std::optional<int> size = text.empty() ? std::nullopt : parse_number(text);
    if (!size || *size < 1)
      lines_->fail(quoted(text) + " is not the size of a block; expected an integer from 1");
    const int base = sizes_.empty() ? *size : sizes_.front();
    const bool fits = *size % base == 0 && std::has_single_bit(unsigned(*size / base));
    if (!fits || (!sizes_.empty() && *size <= sizes_.back()))
      lines_->fail(quoted(setting) +
                   " is invalid; expected a size, then its multiples by ascending powers of two");
    sizes_.push_back(*size);
  }

  Machine block_machine() const {
    std::vector<Machine::Level> levels;
    const int blocks = static_cast<int>(blocks_.size());
    // Larger blocks consist of consecutive blocks, the largest outermost.
    int outer_blocks = blocks;  // in one object of the enclosing level
    for (std::size_t i = sizes_.size(); i-- > 1;) {
      const int each = sizes_[i] / sizes_[0];
      Machine::Level level{"block" + std::to_string(sizes_[i]), {}};
      for (int first = 0; first < blocks; first += each)
        level.outer.push_back(levels.empty() ? 0 : first / outer_blocks);
      levels.push_back(std::move(level));
      outer_blocks = each;
    }
    Machine::Level own{"block", {}}, nodes{"node", {}};
    for (int block = 0; block < blocks; ++block) {
      own.outer.push_back(levels.empty() ? 0 : block / outer_blocks);
      own.labels.push_back(blocks_[block].name);
      for (const std::string& node : blocks_[block].nodes) {
        nodes.outer.push_back(block);
        nodes.labels.push_back(node);
      }
    }
    levels.push_back(std::move(own));
    levels.push_back(std::move(nodes));
    return Machine(std::move(levels));
  }

  struct Block {
    std::string name;
    std::vector<std::string> nodes;
  };
  struct Below {
    std::string place;  // of the switch's line
    std::vector<std::string> names = {};
  };

  const Lines* lines_ = nullptr;
  std::vector<std::filesystem::path> files_;
  SwitchGraph graph_;
  std::vector<Below> below_;                  // by switch: the switches below
  std::map<std::string, int> by_name_;        // of switches and blocks
  std::map<std::string, std::string> owner_;  // by node: its switch or block
  std::vector<Block> blocks_;
  std::vector<int> sizes_;
};

}  // namespace

Machine read_slurm(std::string_view contents, const std::string& file) {
  return Reader().read(contents, file);
}

}  // namespace toccata
