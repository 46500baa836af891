#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/machine.h"

namespace toccata {

// A tree as a file gives it, before its levels are known: its leaves are nodes, which may be at
// different depths.
struct SwitchTree {
  struct Switch {
    std::string name;
    std::vector<int> switches = {};  // or else
    std::vector<std::string> nodes = {};
  };
  std::vector<Switch> switches;
  std::vector<int> roots;

  // Switches as far from the nodes as they can be; where one hangs higher up than its like, it is
  // its own outer switch as well. `level_name` says what the level is called whose switches have
  // that many levels of switches below them.
  Machine machine(std::string (*level_name)(int height)) const;
};

// "leaf", "spine", "switch3", "switch4", ...
std::string switch_level_name(int height);

}  // namespace toccata
