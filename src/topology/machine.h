#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/mesh.h"
#include "topology/packed_trees.h"

namespace toccata {

// A machine: a tree of named levels, outermost first, and how its outermost objects are wired.
//
//   node 0          node 1            level 0 "node"     2 objects
//   socket 0 1      socket 2          level 1 "socket"   3 objects, in nodes 0 0 1
//   core 0 1 2 3    core 4 5 6        level 2 "core"     7 objects, in sockets 0 0 1 1 2 2 2
//
// Objects are numbered through on each level, in the order of the tree. Any of them may be uneven.
class Machine {
 public:
  struct Level {
    std::string name;
    // Of each object the object one level further out that it is part of; never descending. The
    // outermost level has its objects in one machine: all 0.
    std::vector<std::int32_t> outer;
    // What each is called: hosts, switches. Empty if unknown.
    std::vector<std::string> labels = {};
  };

  // With `network`, the outermost objects are its cells; without, they are all equally far.
  // `trees` are over the objects of its level "node", or the cells of the network.
  explicit Machine(std::vector<Level> levels, std::optional<Mesh> network = {},
                   std::shared_ptr<const PackedTrees> trees = {});

  int levels() const { return static_cast<int>(levels_.size()); }
  int innermost() const { return levels() - 1; }
  std::string_view name(int level) const { return levels_[level].name; }
  // The level of that name; -1 if there is none.
  int find(std::string_view name) const;

  int objects(int level) const { return static_cast<int>(levels_[level].outer.size()); }
  int outer(int level, int object) const { return levels_[level].outer[object]; }
  // "s001"; empty where it is called nothing.
  std::string_view label(int level, int object) const;
  const Level& level(int number) const { return levels_[number]; }
  // How many objects of a level are in each object of the level before; of the outermost, its one
  // number.
  std::vector<int> counts(int level) const;
  // The object of level `at`, which is `level` or further out, that an object is part of.
  int ancestor(int level, int object, int at) const;

  const std::optional<Mesh>& network() const { return network_; }
  // Null where none were packed.
  const std::shared_ptr<const PackedTrees>& trees() const { return trees_; }

 private:
  std::vector<Level> levels_;
  std::optional<Mesh> network_;
  std::shared_ptr<const PackedTrees> trees_;
};

}  // namespace toccata
