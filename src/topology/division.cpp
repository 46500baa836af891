#include "topology/division.h"

#include <algorithm>
#include <numeric>

#include "topology/placements.h"

namespace toccata {

Division::Division(const Placement* placement) : placement_(placement) {
  for (; placement_ != nullptr && level_ < placement_->machine().levels(); ++level_)
    if (placement_->regions(level_).divide()) {
      regions_ = placement_->regions(level_);
      return;
    }
}

Division::Division(const Placement* placement, std::vector<int> ranks, int level)
    : placement_(placement), ranks_(std::move(ranks)), level_(level) {
  std::vector<int> labels(ranks_.size());
  for (; level_ < placement_->machine().levels(); ++level_) {
    std::ranges::transform(ranks_, labels.begin(),
                           [&](int rank) { return placement_->regions(level_).of(rank); });
    // As small numbers, or a region would cost as much as all of them.
    std::vector<int> known = labels;
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    if (known.size() == 1 || known.size() == labels.size()) continue;
    for (int& label : labels)
      label = static_cast<int>(std::ranges::lower_bound(known, label) - known.begin());
    regions_.emplace(labels);
    return;
  }
}

Division Division::inside(int region) const {
  const std::span<const int> members = regions_->members(region);
  std::vector<int> ranks(members.begin(), members.end());
  if (!ranks_.empty())
    for (int& rank : ranks) rank = ranks_[rank];
  return {placement_, std::move(ranks), level_ + 1};
}

Regions node_regions(const Placement* placement, int p) {
  if (placement != nullptr) {
    const int node = node_level(placement->machine());
    if (node >= 0 && placement->regions(node).divide()) return placement->regions(node);
  }
  if (const Division division(placement); division.divides()) return division.regions();
  std::vector<int> labels(p);
  std::iota(labels.begin(), labels.end(), 0);
  return Regions(labels);
}

}  // namespace toccata
