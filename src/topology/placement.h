#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/machine.h"

namespace toccata {

// A division of the ranks into regions. Regions are ordered by their lowest rank; the ranks of a
// region ascend.
//
//   ranks 0..5 in regions {0, 2, 5} {1, 3, 4}      of(2) is 0, local(2) is 1, members(1) is 1 3 4
class Regions {
 public:
  // Ranks with equal labels are in one region; labels are any numbers >= 0.
  explicit Regions(std::span<const int> labels);

  int ranks() const { return static_cast<int>(region_.size()); }
  int number() const { return static_cast<int>(first_.size()) - 1; }
  int of(int rank) const { return region_[rank]; }
  int local(int rank) const { return local_[rank]; }
  int size(int region) const { return first_[region + 1] - first_[region]; }
  std::span<const int> members(int region) const {
    return {members_.data() + first_[region], static_cast<std::size_t>(size(region))};
  }
  int largest() const { return largest_; }
  int smallest() const { return smallest_; }
  // Whether each region consists of consecutive ranks: the members of all regions, listed in order,
  // are 0, 1, 2, ...
  bool consecutive() const { return consecutive_; }
  bool even() const { return largest_ == smallest_; }
  // Whether there are several regions, and at least one with several ranks.
  bool divide() const { return number() > 1 && number() < ranks(); }

 private:
  std::vector<int> region_, local_;  // by rank
  std::vector<int> members_;         // of all regions, in order
  std::vector<int> first_;           // index of each region's first member in members_, and the end
  int largest_ = 0, smallest_ = 0;
  bool consecutive_ = true;
};

// Where a rank may run: anywhere in that object of the machine. For an unbound rank, it is the
// node.
struct Place {
  int level = 0;
  int object = 0;

  bool operator==(const Place&) const = default;
};

// The ranks of a communicator on a machine. The same on every rank, so algorithms may use it.
class Placement {
 public:
  Placement(std::shared_ptr<const Machine> machine, std::vector<Place> places);

  int p() const { return static_cast<int>(places_.size()); }
  const Machine& machine() const { return *machine_; }
  const std::shared_ptr<const Machine>& shared_machine() const { return machine_; }
  const Place& place(int rank) const { return places_[rank]; }

  // The ranks, divided by the objects of a level. Ranks that are bound to no object of that level,
  // but to the same object further out, form one region.
  const Regions& regions(int level) const { return regions_[level]; }
  // The innermost level at which two ranks are in one region; -1 if they share no object.
  int common_level(int a, int b) const;

  // The ranks `group` of this placement, as the ranks 0, 1, ... of a communicator.
  Placement among(std::span<const int> group) const;

 private:
  std::shared_ptr<const Machine> machine_;
  std::vector<Place> places_;
  std::vector<Regions> regions_;  // by level
};

}  // namespace toccata
