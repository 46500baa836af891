#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// A spanning tree of a machine's nodes, which carries `weight` times the data of a tree of weight
// 1.
class PackedTree {
 public:
  // The parent of each node, -1 for the root. If this is not a tree, throws std::invalid_argument;
  // its text completes a sentence that begins with "the tree".
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

// Trees that share the links of a network as evenly as possible, found by `toccata topo --trees`.
// Broadcasts and reductions use the trees of their root. The trees of an allreduce may have any
// roots. For an allgather, every node has the same total weight.
struct PackedTrees {
  std::vector<PackedTree> bcast = {}, allreduce = {}, allgather = {};

  // The trees for a word of a file; null for any other word.
  std::vector<PackedTree>* find(std::string_view collective);
};

// "-,0,0,1" for the root 0 with children 1 and 2, and 3 below 1. read_parents throws
// std::invalid_argument as above.
std::string parents_text(const PackedTree& tree);
std::vector<std::int32_t> read_parents(std::string_view text);

}  // namespace toccata
