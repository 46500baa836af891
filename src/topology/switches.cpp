#include "topology/switches.h"

#include <algorithm>

namespace toccata {

namespace {

class Levelling {
 public:
  explicit Levelling(const SwitchTree& tree) : tree_(tree), heights_(tree.switches.size(), -1) {}

  std::vector<Machine::Level> levels(std::string (*level_name)(int height)) {
    int top = 0;
    for (const int root : tree_.roots) top = std::max(top, height(root));
    for (int h = top; h >= 0; --h) levels_.push_back({level_name(h), {}});
    levels_.push_back({"node", {}});
    for (const int root : tree_.roots) add(root, 0, 0);
    return std::move(levels_);
  }

 private:
  int height(int number) {
    int& known = heights_[number];
    if (known < 0) {
      known = 0;
      for (const int below : tree_.switches[number].switches)
        known = std::max(known, height(below) + 1);
    }
    return known;
  }

  int put(int level, int outer, const std::string& label) {
    levels_[level].outer.push_back(outer);
    levels_[level].labels.push_back(label);
    return static_cast<int>(levels_[level].outer.size()) - 1;
  }

  // Adds a switch and everything below it; `level` may be further out than its height.
  void add(int number, int level, int outer) {
    const SwitchTree::Switch& at = tree_.switches[number];
    const int own_level = static_cast<int>(levels_.size()) - 2 - height(number);
    for (; level <= own_level; ++level) outer = put(level, outer, at.name);
    for (const int below : at.switches) add(below, level, outer);
    for (const std::string& node : at.nodes) put(level, outer, node);
  }

  const SwitchTree& tree_;
  std::vector<int> heights_;
  std::vector<Machine::Level> levels_;
};

}  // namespace

Machine SwitchTree::machine(std::string (*level_name)(int height)) const {
  return Machine(Levelling(*this).levels(level_name));
}

std::string switch_level_name(int height) {
  if (height < 2) return height == 0 ? "leaf" : "spine";
  return "switch" + std::to_string(height + 1);
}

}  // namespace toccata
