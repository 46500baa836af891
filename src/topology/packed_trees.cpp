#include "topology/packed_trees.h"

#include <stdexcept>

#include "topology/words.h"

namespace toccata {

PackedTree::PackedTree(int weight, std::vector<std::int32_t> parents)
    : weight_(weight), parents_(std::move(parents)), depths_(parents_.size(), -1) {
  if (weight < 1) throw std::invalid_argument("has a weight below 1");
  for (int node = 0; node < nodes(); ++node) {
    if (parents_[node] < -1 || parents_[node] >= nodes())
      throw std::invalid_argument("has a parent that is not a node");
    if (parents_[node] >= 0) continue;
    if (root_ >= 0) throw std::invalid_argument("has two roots");
    root_ = node;
    depths_[node] = 0;
  }
  if (root_ < 0) throw std::invalid_argument("has no root");
  std::vector<int> way;
  for (int node = 0; node < nodes(); ++node) {
    way.clear();
    int above = node;
    for (; depths_[above] < 0; above = parents_[above]) {
      if (static_cast<int>(way.size()) == nodes()) throw std::invalid_argument("has a cycle");
      way.push_back(above);
    }
    for (int depth = depths_[above]; !way.empty(); way.pop_back()) depths_[way.back()] = ++depth;
    if (depths_[node] > depth_) depth_ = depths_[node];
  }
}

std::vector<PackedTree>* PackedTrees::find(std::string_view collective) {
  if (collective == "bcast") return &bcast;
  if (collective == "allreduce") return &allreduce;
  return collective == "allgather" ? &allgather : nullptr;
}

std::string parents_text(const PackedTree& tree) {
  std::string result;
  for (int node = 0; node < tree.nodes(); ++node) {
    if (node > 0) result += ',';
    result += tree.parent(node) < 0 ? "-" : std::to_string(tree.parent(node));
  }
  return result;
}

std::vector<std::int32_t> read_parents(std::string_view text) {
  std::vector<std::int32_t> parents;
  for (const std::string_view piece : split(text, ',')) {
    const std::optional<int> number = piece == "-"    ? -1
                                      : piece.empty() ? std::nullopt
                                                      : parse_number(piece);
    if (!number) throw std::invalid_argument("has " + quoted(piece) + " instead of a node");
    parents.push_back(*number);
  }
  return parents;
}

}  // namespace toccata
