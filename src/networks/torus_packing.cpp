#include "networks/torus_packing.h"

#include <algorithm>
#include <utility>

namespace toccata {

namespace {

using Parents = std::vector<std::int32_t>;

// From `root` along the dimensions first, first + 1, ..., always with the same step.
Parents along_dimensions(const Mesh& torus, int root, int first, int step) {
  const int n = torus.dimensions();
  const std::vector<int> begin = torus.coordinates(root);
  Parents parents(torus.cells(), -1);
  for (int node = 0; node < torus.cells(); ++node) {
    std::vector<int> above = torus.coordinates(node);
    for (int i = n - 1; i >= 0; --i) {
      const int dimension = (first + i) % n;
      if (above[dimension] == begin[dimension]) continue;
      const int size = torus.dims[dimension];
      above[dimension] = (above[dimension] + size - step) % size;
      parents[node] = torus.cell(above);
      break;
    }
  }
  return parents;
}

class Repair {
 public:
  Repair(const Network& network, std::vector<Parents> trees)
      : network_(network), into_(network.nodes()), trees_(std::move(trees)) {
    for (const NetworkLink& each : network.links())
      into_[each.to].push_back({each.from, each.capacity});
    for (const Parents& tree : trees_)
      for (int node = 0; node < network.nodes(); ++node)
        if (tree[node] >= 0) use(tree, node, 1);
  }

  // Repeats until all links suffice, or nothing changes. First, only single links of a tree change;
  // that disturbs least.
  bool run() {
    for (const bool turns : {false, true}) {
      bool changed = true;
      while (changed) {
        changed = false;
        bool suffices = true;
        for (Parents& tree : trees_)
          for (int node = 0; node < network_.nodes(); ++node) {
            if (tree[node] < 0 || !is_too_full(tree[node], node)) continue;
            if (move(tree, node) || (turns && turn(tree, node)))
              changed = true;
            else
              suffices = false;
          }
        if (suffices && !changed) return true;
      }
    }
    return false;
  }

  std::vector<Parents> trees() && { return std::move(trees_); }

 private:
  struct Into {
    int from;
    std::int64_t capacity, used = 0;
    // The share that would be used with one more tree.
    double share() const { return static_cast<double>(used + 1) / static_cast<double>(capacity); }
  };

  Into* link(int from, int to) {
    const auto found = std::ranges::find(into_[to], from, &Into::from);
    return found == into_[to].end() ? nullptr : &*found;
  }
  void use(const Parents& tree, int node, int trees) {
    if (Into* const used = link(tree[node], node)) used->used += trees;
  }
  bool is_too_full(int from, int to) {
    const Into* const used = link(from, to);
    return used == nullptr || used->used > used->capacity;
  }
  void hang(Parents& tree, int node, int parent) {
    if (tree[node] >= 0) use(tree, node, -1);
    tree[node] = parent;
    if (parent >= 0) use(tree, node, 1);
  }
  static bool is_below(const Parents& tree, int node, int top) {
    while (node >= 0 && node != top) node = tree[node];
    return node == top;
  }

  // The best link into a node with room for one more tree, from a node that is not below `top`.
  const Into* room(const Parents& tree, int node, int top) const {
    const Into* best = nullptr;
    for (const Into& each : into_[node])
      if (each.used < each.capacity && (best == nullptr || each.share() < best->share()) &&
          !is_below(tree, each.from, top))
        best = &each;
    return best;
  }

  bool move(Parents& tree, int node) {
    const Into* const better = room(tree, node, node);
    if (better == nullptr) return false;
    hang(tree, node, better->from);
    return true;
  }

  // If no other link to a node has room, or they come from nodes below it, the tree enters its part
  // at another node, as near as possible, and the links from there to the node turn round.
  //
  //   r -> u =/=> v -> w -> x       r -> u         v <- w <- x
  //        |                             |                   ^
  //        y                             y ------------------+
  bool turn(Parents& tree, int node) {
    std::vector<std::vector<int>> children(tree.size());
    for (int each = 0; each < static_cast<int>(tree.size()); ++each)
      if (tree[each] >= 0) children[tree[each]].push_back(each);
    std::vector<int> reached{node};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const int entry = reached[i];
      if (const Into* const better = room(tree, entry, node)) {
        int above = better->from;
        for (int at = entry; at >= 0;) {
          const int next = at == node ? -1 : tree[at];
          hang(tree, at, above);
          above = std::exchange(at, next);
        }
        return true;
      }
      for (const int child : children[entry])
        if (const Into* const back = link(child, entry);
            back != nullptr && back->used < back->capacity)
          reached.push_back(child);
    }
    return false;
  }

  const Network& network_;
  std::vector<std::vector<Into>> into_;  // by node
  std::vector<Parents> trees_;
};

}  // namespace

std::optional<std::vector<PackedTree>> pack_torus(const Mesh& torus, const Network& network) {
  if (std::ranges::count(torus.periodic, true) != torus.dimensions() ||
      network.vertices() != torus.cells())
    return {};
  std::vector<Parents> trees;
  for (int root = 0; root < torus.cells(); ++root)
    for (int first = 0; first < torus.dimensions(); ++first)
      for (const int step : {1, -1}) trees.push_back(along_dimensions(torus, root, first, step));
  Repair repair(network, std::move(trees));
  if (!repair.run()) return {};
  std::vector<PackedTree> result;
  for (Parents& each : std::move(repair).trees()) result.emplace_back(1, std::move(each));
  return result;
}

}  // namespace toccata
