#include "topology/placement.h"

#include <algorithm>

namespace toccata {

Regions::Regions(std::span<const int> labels) : region_(labels.size()), local_(labels.size()) {
  const int most = labels.empty() ? 0 : *std::ranges::max_element(labels);
  std::vector<int> number(most + 1, -1);
  std::vector<int> sizes;
  for (std::size_t rank = 0; rank < labels.size(); ++rank) {
    int& region = number[labels[rank]];
    if (region < 0) {
      region = static_cast<int>(sizes.size());
      sizes.push_back(0);
    }
    region_[rank] = region;
    local_[rank] = sizes[region]++;
  }
  first_.push_back(0);
  for (const int size : sizes) first_.push_back(first_.back() + size);
  members_.resize(labels.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    const int position = first_[region_[rank]] + local_[rank];
    members_[position] = rank;
    consecutive_ = consecutive_ && position == rank;
  }
  if (!sizes.empty()) {
    largest_ = *std::ranges::max_element(sizes);
    smallest_ = *std::ranges::min_element(sizes);
  }
}

namespace {

// Numbers for the objects of `level`, followed by numbers for the objects further out.
std::vector<int> labels(const Machine& machine, const std::vector<Place>& places, int level) {
  std::vector<int> first(level + 1, 0);  // the numbers of each level's objects, from level inwards
  for (int outer = level - 1; outer >= 0; --outer)
    first[outer] = first[outer + 1] + machine.objects(outer + 1);
  std::vector<int> result;
  result.reserve(places.size());
  for (const Place& place : places) {
    const int at = std::min(level, place.level);
    result.push_back(first[at] + machine.ancestor(place.level, place.object, at));
  }
  return result;
}

}  // namespace

Placement::Placement(std::shared_ptr<const Machine> machine, std::vector<Place> places)
    : machine_(std::move(machine)), places_(std::move(places)) {
  for (int level = 0; level < machine_->levels(); ++level)
    regions_.emplace_back(labels(*machine_, places_, level));
}

int Placement::common_level(int a, int b) const {
  int level = machine_->innermost();
  while (level >= 0 && regions_[level].of(a) != regions_[level].of(b)) --level;
  return level;
}

Placement Placement::among(std::span<const int> group) const {
  std::vector<Place> places;
  places.reserve(group.size());
  for (const int rank : group) places.push_back(places_[rank]);
  return {machine_, std::move(places)};
}

}  // namespace toccata
