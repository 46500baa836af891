#include "patterns/torus_forest.h"

#include <algorithm>

namespace toccata {

bool TorusForest::fits(const Mesh& mesh) {
  for (int i = 0; i < mesh.dimensions(); ++i)
    if (!mesh.periodic[i] && mesh.dims[i] > 2) return false;
  return true;
}

TorusForest::TorusForest(const Mesh& mesh, int root) : mesh_(mesh), root_(mesh.coordinates(root)) {
  for (int i = 0; i < mesh.dimensions(); ++i)
    if (mesh.dims[i] > 1) (mesh.dims[i] == 2 ? pairs_ : rings_).push_back(i);
  // The depth of the ring trees. Each dimension of 2 adds the steps that its trees need.
  if (!rings_.empty()) depth_ = 1;
  for (const int i : rings_) depth_ += mesh.dims[i] - 1;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    // The new tree has the depth of tree 0 plus 2. Tree 0 gets 1 deeper, or ends at most three
    // steps after c_0. Tree j gets at most 2 deeper.
    depth_ = depth_ == 0 ? 1 : depth_ + 2;
  }
}

TorusForest::Coordinates TorusForest::relative(int cell) const {
  const std::vector<int> at = mesh_.coordinates(cell);
  Coordinates x;
  for (const auto* dimensions : {&rings_, &pairs_})
    for (const int i : *dimensions) x.push_back(wrap(at[i] - root_[i], mesh_.dims[i]));
  return x;
}

int TorusForest::cell(const Coordinates& x) const {
  std::vector<int> at = root_;
  std::size_t next = 0;
  for (const auto* dimensions : {&rings_, &pairs_})
    for (const int i : *dimensions) at[i] = wrap(root_[i] + x[next++], mesh_.dims[i]);
  return mesh_.cell(at);
}

bool TorusForest::is_root(int pairs, const Coordinates& x) const {
  return std::all_of(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rings_.size()) + pairs,
                     [](int each) { return each == 0; });
}

// Trees 2i and 2i + 1 begin with ring i, upwards and downwards. The other trees begin with a pair.
void TorusForest::to_child(int tree, Coordinates& x) const {
  const int rings = static_cast<int>(rings_.size());
  if (tree >= 2 * rings)
    x[tree - rings] = 1;
  else
    x[tree / 2] = tree % 2 == 0 ? 1 : mesh_.dims[rings_[tree / 2]] - 1;
}

bool TorusForest::is_child(int tree, int pairs, const Coordinates& x) const {
  Coordinates child(x.size());
  to_child(tree, child);
  return std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rings_.size()) + pairs,
                    child.begin());
}

bool TorusForest::to_parent(int tree, int pairs, Coordinates& x) const {
  if (pairs > 0) {
    int& half = x[rings_.size() + pairs - 1];
    const int outer = pairs - 1;
    const int before = 2 * static_cast<int>(rings_.size()) + outer;  // trees without this pair
    const bool at_root = is_root(outer, x);
    if (tree == before) {
      if (half == 0) {
        if (at_root) return false;
        half = 1;
        return true;
      }
      if (!at_root) return to_parent(0, outer, x);
      half = 0;
      return true;
    }
    if (half == 0) return to_parent(tree, outer, x);
    if (at_root) {
      to_child(tree, x);
      return true;
    }
    if (tree > 0) {
      if (!is_child(tree, outer, x)) return to_parent(tree, outer, x);
      half = 0;
      return true;
    }
    for (int other = 1; other < before; ++other)
      if (is_child(other, outer, x)) {
        std::fill_n(x.begin(), rings_.size() + outer, 0);
        return true;
      }
    half = 0;
    return true;
  }
  if (is_root(0, x)) return false;
  const int rings = static_cast<int>(rings_.size()), first = tree / 2;
  int dimension = first;
  if (x[first] != 0)
    for (int i = 1; i < rings; ++i)
      if (x[(first + i) % rings] != 0) dimension = (first + i) % rings;
  x[dimension] = wrap(x[dimension] + (tree % 2 == 0 ? -1 : 1), mesh_.dims[rings_[dimension]]);
  return true;
}

int TorusForest::parent(int tree, int of) const {
  Coordinates x = relative(of);
  return to_parent(tree, static_cast<int>(pairs_.size()), x) ? cell(x) : -1;
}

TreePlace TorusForest::place(int tree, int of) const {
  TreePlace place;
  Coordinates x = relative(of);
  const Coordinates own = x;
  const int pairs = static_cast<int>(pairs_.size());
  while (to_parent(tree, pairs, x))
    if (++place.depth == 1) place.parent = cell(x);
  std::vector<int> neighbors;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const int size = mesh_.dims[i < rings_.size() ? rings_[i] : pairs_[i - rings_.size()]];
    for (const int step : {1, -1}) {
      x = own;
      x[i] = wrap(x[i] + step, size);
      const Coordinates neighbor = x;
      if (to_parent(tree, pairs, x) && x == own) neighbors.push_back(cell(neighbor));
      if (size == 2) break;
    }
  }
  place.children = std::move(neighbors);
  return place;
}

}  // namespace toccata
