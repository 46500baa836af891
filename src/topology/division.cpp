#include "topology/division.h"

#include <algorithm>
#include <numeric>

#include "topology/placements.h"

namespace toccata {

namespace {

std::vector<int> all_levels(const Placement* placement) {
  std::vector<int> levels(placement == nullptr ? 0 : placement->machine().levels());
  std::iota(levels.begin(), levels.end(), 0);
  return levels;
}

}  // namespace

Division::Division(const Placement* placement) : Division(placement, all_levels(placement)) {}

Division::Division(const Placement* placement, std::vector<int> levels)
    : placement_(placement), levels_(std::move(levels)) {
  while (placement_ != nullptr && next_ < levels_.size())
    if (const Regions& regions = placement_->regions(levels_[next_++]); regions.divide()) {
      regions_ = {std::shared_ptr<void>(), &regions};
      return;
    }
}

Division Division::inside(int region) const {
  Division inner(*this);
  inner.regions_.reset();
  const std::span<const int> members = regions_->members(region);
  inner.ranks_.assign(members.begin(), members.end());
  if (!ranks_.empty())
    for (int& rank : inner.ranks_) rank = ranks_[rank];
  std::vector<int> labels(members.size());
  while (inner.next_ < levels_.size()) {
    const Regions& all = placement_->regions(levels_[inner.next_++]);
    std::ranges::transform(inner.ranks_, labels.begin(), [&](int rank) { return all.of(rank); });
    // Small numbers, because the cost of regions grows with the largest label.
    std::vector<int> known = labels;
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    if (known.size() == 1 || known.size() == labels.size()) continue;
    for (int& label : labels)
      label = static_cast<int>(std::ranges::lower_bound(known, label) - known.begin());
    inner.regions_ = std::make_shared<const Regions>(labels);
    break;
  }
  return inner;
}

std::shared_ptr<const Regions> node_regions(const std::shared_ptr<const Placement>& placement,
                                            int p) {
  if (placement != nullptr) {
    std::vector<int> levels = all_levels(placement.get());
    if (const int node = node_level(placement->machine()); node >= 0)
      levels.insert(levels.begin(), node);
    for (const int level : levels)
      if (const Regions& regions = placement->regions(level); regions.divide())
        return {placement, &regions};
  }
  std::vector<int> labels(p);
  std::iota(labels.begin(), labels.end(), 0);
  return std::make_shared<const Regions>(labels);
}

}  // namespace toccata
