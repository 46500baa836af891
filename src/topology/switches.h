#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/machine.h"

namespace toccata {

// A tree as in a file, before its levels are known: its leaves are nodes, which may be at different
// depths.
struct SwitchTree {
  struct Switch {
    std::string name;
    std::vector<int> switches = {};  // or else
    std::vector<std::string> nodes = {};
  };
  std::vector<Switch> switches;
  std::vector<int> roots;

  // The machine with every switch as far from the nodes as possible. A switch that is connected
  // higher up than the others of its level is also its own enclosing switch. `level_name` returns
  // the name of the level whose switches have that many levels of switches below them.
  Machine machine(std::string (*level_name)(int height)) const;
};

// "leaf", "spine", "switch3", "switch4", ...
std::string switch_level_name(int height);

}  // namespace toccata
