#include "patterns/torus_tree.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace toccata {

int RootedBox::cells() const {
  int result = 1;
  for (std::size_t i = 0; i < root.size(); ++i) result *= below[i] + 1 + above[i];
  return result;
}

bool RootedBox::contains(const Mesh& mesh, const std::vector<int>& coordinates) const {
  for (std::size_t i = 0; i < root.size(); ++i)
    if (wrap(coordinates[i] - root[i] + below[i], mesh.dims[i]) > below[i] + above[i]) return false;
  return true;
}

CellBox RootedBox::box() const {
  CellBox result{root, std::vector<int>(root.size())};
  for (std::size_t i = 0; i < root.size(); ++i) {
    result.first[i] -= below[i];
    result.extent[i] = below[i] + 1 + above[i];
  }
  return result;
}

namespace {

// All cells. On a ring, every root is in the middle.
RootedBox whole(const Mesh& mesh, int root) {
  RootedBox box{mesh.coordinates(root), {}, {}};
  for (int i = 0; i < mesh.dimensions(); ++i) {
    const int others = mesh.dims[i] - 1;
    box.below.push_back(mesh.periodic[i] ? others / 2 : box.root[i]);
    box.above.push_back(others - box.below[i]);
  }
  return box;
}

// Cuts the slabs of one round off the box.
std::vector<RootedBox> hand_over(const Mesh& mesh, RootedBox& box) {
  const auto others = [&](int i) { return box.below[i] + box.above[i]; };
  std::vector<int> order(box.root.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return others(a) > others(b); });
  int pieces = 1;
  for (const int i : order) pieces += (box.below[i] > 0 ? 1 : 0) + (box.above[i] > 0 ? 1 : 0);

  std::vector<RootedBox> slabs;
  for (const int i : order) {
    const bool above_first = box.above[i] >= box.below[i];
    for (const bool is_above : {above_first, !above_first}) {
      int& side = is_above ? box.above[i] : box.below[i];
      if (side == 0) continue;
      const int cells = others(i) + 1;
      const int taken = std::clamp((2 * cells + pieces) / (2 * pieces), 1, side);  // rounded
      --pieces;
      RootedBox& slab = slabs.emplace_back(box);
      const int first = is_above ? box.root[i] + side - taken + 1 : box.root[i] - side;
      slab.below[i] = (taken - 1) / 2;
      slab.above[i] = taken / 2;
      slab.root[i] = wrap(first + slab.below[i], mesh.dims[i]);
      side -= taken;
    }
  }
  return slabs;
}

// The height of a box does not depend on its position, so it is calculated once for all boxes of
// the same form.
class Height {
 public:
  explicit Height(const Mesh& mesh) : mesh_(mesh) {}

  int operator()(RootedBox box) {
    std::vector<int> form = box.below;
    form.insert(form.end(), box.above.begin(), box.above.end());
    if (const auto found = known_.find(form); found != known_.end()) return found->second;
    int rounds = 0;
    if (const std::vector<RootedBox> slabs = hand_over(mesh_, box); !slabs.empty()) {
      rounds = (*this)(box);
      for (const RootedBox& slab : slabs) rounds = std::max(rounds, (*this)(slab));
      ++rounds;
    }
    return known_.emplace(std::move(form), rounds).first->second;
  }

 private:
  const Mesh& mesh_;
  std::map<std::vector<int>, int> known_;
};

}  // namespace

TorusTree::TorusTree(const Mesh& mesh, int root, int cell) : box(whole(mesh, root)) {
  const std::vector<int> own = mesh.coordinates(cell);
  RootedBox left = box;
  for (int i = 0; left.cells() > 1; ++i) {
    const int giver = mesh.cell(left.root);
    for (RootedBox& slab : hand_over(mesh, left)) {
      if (giver == cell) {
        const int slab_root = mesh.cell(slab.root);
        parts.push_back({i, slab_root, std::move(slab)});
      } else if (slab.contains(mesh, own)) {
        box = left = std::move(slab);
        parent = giver;
        round = i;
        break;
      }
    }
  }
}

int tree_rounds(const Mesh& mesh, int root) { return Height(mesh)(whole(mesh, root)); }

}  // namespace toccata
