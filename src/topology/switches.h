#pragma once

#include <set>
#include <string>
#include <vector>

#include "topology/machine.h"

namespace toccata {

// Switches and the links between them, as in a file. Several switches may be above the same ones,
// as in a fat tree, and nodes may be at different depths.
struct SwitchGraph {
  struct Switch {
    std::string name;
    std::vector<std::string> nodes = {};
    std::set<int> neighbors = {};
    int height = -1;  // 0 with nodes, otherwise the number of levels below it; -1: it reaches none
  };
  std::vector<Switch> switches;

  enum class Levels {
    all,  // a level for each height; its objects have the names of their switches of that height
    dividing  // levels that divide the leaves, and have fewer objects than the next one; numbered
  };

  // Leaves (switches with nodes) that reach each other through switches of at most height k are in
  // one object of the k-th level outside them. So switches above the same leaves form one object,
  // and a leaf that is connected higher up than others is alone in the objects below that.
  // There must be a leaf.
  Machine machine(Levels levels) const;

 private:
  std::vector<int> components(const std::vector<int>& leaves, int height) const;
};

}  // namespace toccata
