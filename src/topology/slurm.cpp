#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <optional>

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

class Reader {
 public:
  Reader(std::string_view contents, const std::string& file) : lines_(contents, file) {}

  Machine read() {
    while (lines_.next()) {
      const Settings settings = read_settings();
      if (settings.contains("switchname"))
        add_switch(settings);
      else if (settings.contains("blockname"))
        add_block(settings);
      else if (const auto sizes = settings.find("blocksizes"); sizes != settings.end())
        read_sizes(sizes->second);
      else
        lines_.fail("expected a line with SwitchName=, BlockName= or BlockSizes=");
    }
    if (!tree_.switches.empty() && !blocks_.empty())
      lines_.fail_all("has both switches and blocks; Slurm accepts only one of them");
    if (!blocks_.empty()) return block_machine();
    if (tree_.switches.empty()) lines_.fail_all("has no SwitchName= and no BlockName=");
    return switch_machine();
  }

 private:
  Settings read_settings() const {
    Settings settings;
    for (const std::string_view word : split_words(lines_.line())) {
      const std::size_t equals = word.find('=');
      if (equals == word.npos || equals + 1 == word.size())
        lines_.fail(quoted(word) + " is not a setting; write KEY=VALUE");
      if (!settings.emplace(lower(word.substr(0, equals)), word.substr(equals + 1)).second)
        lines_.fail(std::string(word.substr(0, equals)) + " is given twice");
    }
    return settings;
  }

  std::vector<std::string> hosts(const std::string& list) const {
    return lines_.placed([&] { return expand_hosts(list); });
  }

  // Names must be unique.
  void claim_node(const std::string& node, const std::string& by) {
    const auto [known, is_new] = owner_.emplace(node, by);
    if (!is_new) lines_.fail("node " + node + " is in " + known->second + " and in " + by);
  }

  void add_switch(const Settings& settings) {
    const std::string& name = settings.find("switchname")->second;
    const auto nodes = settings.find("nodes"), switches = settings.find("switches");
    for (const auto& [key, value] : settings)
      if (key != "switchname" && key != "nodes" && key != "switches" && key != "linkspeed")
        lines_.fail("a switch has Nodes= or Switches=, but not " + key + "=");
    if ((nodes == settings.end()) == (switches == settings.end()))
      lines_.fail("switch " + name + " needs either Nodes= or Switches=");
    if (!by_name_.emplace(name, static_cast<int>(tree_.switches.size())).second)
      lines_.fail("switch " + quoted(name) + " occurs twice");
    tree_.switches.push_back({name});
    below_.emplace_back();
    if (nodes != settings.end()) {
      tree_.switches.back().nodes = hosts(nodes->second);
      for (const std::string& node : tree_.switches.back().nodes)
        claim_node(node, "switch " + name);
    } else {
      below_.back() = hosts(switches->second);
      for (const std::string& each : below_.back()) {
        const auto [known, is_new] = above_.emplace(each, name);
        if (!is_new)
          lines_.fail("switch " + each + " is below " + known->second + " and below " + name);
      }
    }
  }

  Machine switch_machine() {
    for (std::size_t i = 0; i < below_.size(); ++i)
      for (const std::string& name : below_[i]) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end())
          lines_.fail_all("switch " + tree_.switches[i].name + " has a switch " + name +
                          " below it, but no line has SwitchName=" + name);
        tree_.switches[i].switches.push_back(found->second);
      }
    for (std::size_t i = 0; i < tree_.switches.size(); ++i)
      if (!above_.contains(tree_.switches[i].name)) tree_.roots.push_back(static_cast<int>(i));
    check_no_circle();
    return tree_.machine(switch_level_name);
  }

  // Every switch has at most one above it, so switches that no root reaches form a circle.
  void check_no_circle() const {
    std::vector<int> reached = tree_.roots;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int below : tree_.switches[reached[i]].switches) reached.push_back(below);
    std::ranges::sort(reached);
    for (int i = 0; i < static_cast<int>(tree_.switches.size()); ++i)
      if (!std::ranges::binary_search(reached, i))
        lines_.fail_all("switch " + tree_.switches[i].name + " is below itself");
  }

  void add_block(const Settings& settings) {
    const std::string& name = settings.find("blockname")->second;
    for (const auto& [key, value] : settings)
      if (key != "blockname" && key != "nodes" && key != "blocksizes")
        lines_.fail("a block has Nodes=, but not " + key + "=");
    const auto nodes = settings.find("nodes");
    if (nodes == settings.end()) lines_.fail("block " + name + " needs Nodes=");
    for (const SwitchTree::Switch& each : blocks_)
      if (each.name == name) lines_.fail("block " + quoted(name) + " occurs twice");
    blocks_.push_back({name, {}, hosts(nodes->second)});
    for (const std::string& node : blocks_.back().nodes) claim_node(node, "block " + name);
    if (const auto sizes = settings.find("blocksizes"); sizes != settings.end())
      read_sizes(sizes->second);
  }

  // The size of a block, and of the larger blocks that adjoining blocks form.
  void read_sizes(const std::string& list) {
    if (!sizes_.empty()) lines_.fail("BlockSizes is given twice");
    for (const std::string_view piece : split(list, ',')) {
      const std::optional<int> size = piece.empty() ? std::nullopt : parse_number(piece);
      if (!size || *size < 1) lines_.fail(quoted(piece) + " is not the size of a block");
      const int base = sizes_.empty() ? *size : sizes_.front();
      const bool fits = *size % base == 0 && std::has_single_bit(unsigned(*size / base));
      if (!fits || (!sizes_.empty() && *size <= sizes_.back()))
        lines_.fail(
            "BlockSizes must be a size, then its multiples by ascending powers of two, not " +
            list);
      sizes_.push_back(*size);
    }
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

  Lines lines_;
  SwitchTree tree_;
  std::vector<std::vector<std::string>> below_;  // by switch: the names of the switches below
  std::map<std::string, int> by_name_;
  std::map<std::string, std::string> above_;  // by switch: the switch above it
  std::map<std::string, std::string> owner_;  // by node: its switch or block
  std::vector<SwitchTree::Switch> blocks_;
  std::vector<int> sizes_;
};

}  // namespace

Machine read_slurm(std::string_view contents, const std::string& file) {
  return Reader(contents, file).read();
}

}  // namespace toccata
