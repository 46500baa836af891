#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/mesh.h"
#include "topology/packed_trees.h"

namespace toccata {

// A machine: a tree of named levels, outermost first, and the network of its outermost objects.
//
//   node 0          node 1            level 0 "node"     2 objects
//   socket 0 1      socket 2          level 1 "socket"   3 objects, in nodes 0 0 1
//   core 0 1 2 3    core 4 5 6        level 2 "core"     7 objects, in sockets 0 0 1 1 2 2 2
//
// Each level numbers its objects from 0, in the order of the tree. Objects may have different
// numbers of children.
class Machine {
 public:
  struct Level {
    std::string name;
    // For each object, the enclosing object of the next level outwards; never descending. The
    // objects of the outermost level are in one machine: all 0.
    std::vector<std::int32_t> outer;
    // The names of the objects: hosts, switches. Empty if unknown.
    std::vector<std::string> labels = {};
  };

  // With `network`, the outermost objects are its cells; otherwise they are all equally far from
  // each other. `trees` connect the objects of level "node", or the cells of the network.
  explicit Machine(std::vector<Level> levels, std::optional<Mesh> network = {},
                   std::shared_ptr<const PackedTrees> trees = {});

  int levels() const { return static_cast<int>(levels_.size()); }
  int innermost() const { return levels() - 1; }
  std::string_view name(int level) const { return levels_[level].name; }
  // The level of that name; -1 if there is none.
  int find(std::string_view name) const;

  int objects(int level) const { return static_cast<int>(levels_[level].outer.size()); }
  int outer(int level, int object) const { return levels_[level].outer[object]; }
  // Such as "s001"; empty if it has no name.
  std::string_view label(int level, int object) const;
  const Level& level(int number) const { return levels_[number]; }
  // The number of objects of a level in each object of the previous level; for the outermost, one
  // number.
  std::vector<int> counts(int level) const;
  // The object of level `at` (`level` or further out) that contains the object.
  int ancestor(int level, int object, int at) const;

  // What a reader had to decide about a file, in one line for the user; empty if nothing.
  const std::string& remark() const { return remark_; }
  void remark(std::string text) { remark_ = std::move(text); }

  const std::optional<Mesh>& network() const { return network_; }
  // Null if there are none.
  const std::shared_ptr<const PackedTrees>& trees() const { return trees_; }

 private:
  std::vector<Level> levels_;
  std::optional<Mesh> network_;
  std::shared_ptr<const PackedTrees> trees_;
  std::string remark_;
};

}  // namespace toccata
