#include "topology/switches.h"

#include <algorithm>

namespace toccata {

namespace {

// "leaf", "spine", "switch3", "switch4", ...
std::string level_name(std::size_t level) {
  if (level < 2) return level == 0 ? "leaf" : "spine";
  return "switch" + std::to_string(level + 1);
}

}  // namespace

// For every switch, the first leaf that it reaches through switches of at most that height; -1 for
// none.
std::vector<int> SwitchGraph::components(const std::vector<int>& leaves, int height) const {
  std::vector<int> component(switches.size(), -1);
  for (const int leaf : leaves) {
    if (component[leaf] >= 0) continue;
    std::vector<int> reached{leaf};
    component[leaf] = leaf;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int next : switches[reached[i]].neighbors)
        if (component[next] < 0 && switches[next].height >= 0 && switches[next].height <= height) {
          component[next] = leaf;
          reached.push_back(next);
        }
  }
  return component;
}

Machine SwitchGraph::machine(Levels which) const {
  // The object of each switch, which is a number of a leaf, and the name of each object.
  struct Division {
    std::vector<int> objects;
    std::vector<std::string> names;
  };
  Division own{std::vector<int>(switches.size(), -1), std::vector<std::string>(switches.size())};
  std::vector<int> leaves;
  int top = 0;
  for (int i = 0; i < static_cast<int>(switches.size()); ++i) {
    top = std::max(top, switches[i].height);
    if (switches[i].height != 0) continue;
    leaves.push_back(i);
    own.objects[i] = i;
    own.names[i] = switches[i].name;
  }
  std::vector<Division> divisions{std::move(own)};  // from the inside outwards
  std::size_t last_number = leaves.size();
  for (int height = 1; height <= top; ++height) {
    Division division{components(leaves, height), std::vector<std::string>(switches.size())};
    std::set<int> objects(division.objects.begin(), division.objects.end());
    objects.erase(-1);
    if (which == Levels::dividing) {
      int number = 0;
      for (const int each : objects)
        division.names[each] = level_name(1) + std::to_string(++number);
    } else {
      for (std::size_t i = 0; i < switches.size(); ++i)
        if (switches[i].height == height) {
          std::string& name = division.names[division.objects[i]];
          name += (name.empty() ? "" : "+") + switches[i].name;
        }
      for (const int each : objects)
        if (division.names[each].empty())
          division.names[each] = divisions.back().names[divisions.back().objects[each]];
    }
    if (which == Levels::all || (objects.size() < last_number && objects.size() > 1))
      divisions.push_back(std::move(division));
    last_number = objects.size();
  }
  std::ranges::reverse(divisions);
  // The leaves of an object must be consecutive.
  std::ranges::stable_sort(leaves, [&](int a, int b) {
    for (const Division& each : divisions)
      if (each.objects[a] != each.objects[b]) return each.objects[a] < each.objects[b];
    return false;
  });
  std::vector<Machine::Level> levels;
  for (std::size_t i = divisions.size(); i-- > 0;) levels.push_back({level_name(i), {}});
  levels.push_back({"node", {}});
  const auto put = [&](std::size_t level, const std::string& name) {
    levels[level].outer.push_back(
        level == 0 ? 0 : static_cast<std::int32_t>(levels[level - 1].outer.size()) - 1);
    levels[level].labels.push_back(name);
  };
  const int* last = nullptr;
  for (const int& leaf : leaves) {
    bool is_new = last == nullptr;
    for (std::size_t level = 0; level < divisions.size(); ++level) {
      const Division& division = divisions[level];
      is_new = is_new || division.objects[leaf] != division.objects[*last];
      if (is_new) put(level, division.names[division.objects[leaf]]);
    }
    for (const std::string& node : switches[leaf].nodes) put(divisions.size(), node);
    last = &leaf;
  }
  return Machine(std::move(levels));
}

}  // namespace toccata
