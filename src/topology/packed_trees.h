#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// A spanning tree of a machine's nodes, which carries `weight` times as much as a tree of weight 1.
class PackedTree {
 public:
  // Of each node its parent, -1 for the root. std::invalid_argument, as the end of a sentence that
  // begins with "the tree", where that is not a tree.
  PackedTree(int weight, std::vector<std::int32_t> parents);

  int weight() const { return weight_; }
  int root() const { return root_; }
  int depth() const { return depth_; }
  int nodes() const { return static_cast<int>(parents_.size()); }
  int parent(int node) const { return parents_[node]; }
  int depth(int node) const { return depths_[node]; }
  const std::vector<std::int32_t>& parents() const { return parents_; }

 private:
  int weight_;
  std::vector<std::int32_t> parents_, depths_;
  int root_ = -1, depth_ = 0;
};

// Trees that share the links of a network as well as can be, as `toccata topo --trees` finds them:
// for broadcasts and reductions those with a root are that root's; for allreduces they may have any
// roots; for allgathers every node has as much weight as any other.
struct PackedTrees {
  std::vector<PackedTree> bcast = {}, allreduce = {}, allgather = {};

  // By the word that stands for them in files; null for any other.
  std::vector<PackedTree>* find(std::string_view collective);
};

// "-,0,0,1" for the root 0 with children 1 and 2, and 3 below 1. read_parents throws
// std::invalid_argument as above.
std::string parents_text(const PackedTree& tree);
std::vector<std::int32_t> read_parents(std::string_view text);

}  // namespace toccata
