#include "writing/levels.h"

#include <algorithm>
#include <utility>

#include "patterns/arithmetic.h"
#include "schedule/backwards.h"
#include "topology/division.h"
#include "topology/placements.h"
#include "writing/region_blocks.h"

namespace toccata {

const Parameter& Levels::which() {
  static const Parameter parameter = [] {
    Parameter made =
        choice("levels", "levels of the machine that form regions", {"node", "node+socket", "all"});
    made.samples = {0, 2};  // the machines in proofs have only nodes and sockets
    return made;
  }();
  return parameter;
}

std::vector<int> Levels::chosen(const Shape& shape, const Parameter& which) {
  std::vector<int> levels;
  if (shape.placement == nullptr) return levels;
  const Machine& machine = shape.placement->machine();
  const auto add = [&](int level) {
    if (level >= 0 && level < machine.levels() && shape.placement->regions(level).divide())
      levels.push_back(level);
  };
  const bool all = shape.parameters.is(which, "all");
  if (!all) add(node_level(machine));
  if (shape.parameters.is(which, "node+socket")) add(socket_level(machine));
  for (int level = 0; (all || levels.empty()) && level < machine.levels(); ++level) add(level);
  return levels;
}

Levels::Levels(const Shape& shape) : p_(shape.p), root_(shape.root) {
  int pieces = 1;
  for (const int level : chosen(shape, which())) {
    const Regions& regions = shape.placement->regions(level);
    if (regions.number() > pieces) borders_.emplace_back(shape.placement, &regions);
    pieces = regions.number();
  }
  find_sizes();
}

Levels::Levels(std::shared_ptr<const Regions> regions, int root)
    : p_(regions->ranks()), root_(root) {
  if (regions->divide()) borders_.push_back(std::move(regions));
  find_sizes();
}

int Levels::leader(int border, int region) const {
  const Regions& regions = *borders_[border];
  return regions.of(root_) == region ? root_ : regions.members(region).front();
}

bool Levels::stands_in(int level, int rank) const {
  return level == innermost() || leader(level, borders_[level]->of(rank)) == rank;
}

std::vector<int> Levels::team(int level, int rank) const {
  std::vector<int> ranks;
  if (!stands_in(level, rank)) return ranks;
  const Regions* const within = around(level);
  const int region = within == nullptr ? 0 : within->of(rank);
  const int first = within == nullptr ? root_ : leader(level - 1, region);
  const auto take = [&](int each) {
    if (stands_in(level, each)) ranks.push_back(each);
  };
  if (within != nullptr)
    std::ranges::for_each(within->members(region), take);
  else if (level == innermost())
    for (int each = 0; each < p_; ++each) take(each);
  else
    for (int each = 0; each < borders_[0]->number(); ++each) ranks.push_back(leader(0, each));
  std::ranges::rotate(ranks, std::ranges::find(ranks, first));
  return ranks;
}

std::vector<int> Levels::represented_by(int level, int member) const {
  if (level == innermost()) return {member};
  const auto members = borders_[level]->members(borders_[level]->of(member));
  return {members.begin(), members.end()};
}

void Levels::Sizes::add(int size) {
  if (size > largest) second = std::exchange(largest, size);
  if (size < largest) second = std::max(second, size);
}

void Levels::find_sizes() {
  for (int level = 0; level < number(); ++level) {
    Sizes& sizes = sizes_.emplace_back();
    const Regions* const within = around(level);
    const int regions = within == nullptr ? 1 : within->number();
    if (level == innermost()) {
      if (within == nullptr || within->even())
        sizes.add(within == nullptr ? p_ : within->largest());
      else
        for (int region = 0; region < regions; ++region) sizes.add(within->size(region));
    } else if (within == nullptr) {
      sizes.add(borders_[level]->number());
    } else {
      std::vector<int> leaders(regions);
      const Regions& further_in = *borders_[level];
      for (int region = 0; region < further_in.number(); ++region)
        ++leaders[within->of(further_in.members(region).front())];
      for (const int each : leaders) sizes.add(each);
    }
  }
}

int Levels::rounds(int level, const Flat& flat) const {
  const auto [largest, second] = sizes_[level];
  return std::max(flat.rounds(largest), second > 0 ? flat.rounds(second) : 0);
}

bool Levels::even() const {
  return std::ranges::all_of(sizes_, [](const Sizes& sizes) { return sizes.second == 0; });
}

Cost Levels::claim(int level, const Flat& flat) const {
  Cost cost;
  for (; level < number(); ++level) cost = cost + flat.claim(largest(level));
  return cost;
}

int Levels::segment_interval(const Flat& outermost, const Flat& inside) const {
  int most = 1;
  for (int level = 0; level < number(); ++level)
    most = std::max(most, (level == 0 ? outermost : inside).segment_interval(largest(level)));
  return most;
}

int Levels::rounds_from(int level, const Flat& flat) const {
  int all = 0;
  for (; level < number(); ++level) all += rounds(level, flat);
  return all;
}

void Levels::in_teams(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                      const BlockMap& send, const BlockMap& recv, Scratch scratch) const {
  Schedule own;
  if (const std::vector<int> ranks = team(level, rank); !ranks.empty()) {
    const int place = static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
    const Schedule among = flat.schedule(static_cast<int>(ranks.size()), place);
    own = scratch == Scratch::at_home ? on(ranks, among, send, recv, scratch)
                                      : on(ranks, among, send, recv, schedule.scratch_blocks());
  }
  schedule.go_on({&own, 1}, rounds(level, flat));
}

void Levels::broadcast(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                       int blocks) const {
  const BlockMap message = BlockMap::affine(Buffer::recv, 0, blocks, blocks);
  for (; level < number(); ++level) in_teams(schedule, level, rank, flat, message, message);
}

void Levels::reduce(ScheduleBuilder& schedule, int level, int rank, const Flat& broadcast,
                    int blocks) const {
  ScheduleBuilder down;
  this->broadcast(down, level, rank, broadcast, 1);
  const int rounds = rounds_from(level, broadcast);
  const bool leads = level == 0 ? rank == root_ : stands_in(level - 1, rank);
  const Schedule one = collecting(std::move(down).build(), rounds, 0, leads ? 1 : 0);
  schedule.then(on(one, BlockMap::affine(Buffer::send, 0, blocks, blocks),
                   BlockMap::affine(Buffer::recv, 0, blocks, blocks)),
                rounds + 1);
}

// At the innermost level, a rank contributes only its own block, which is in send.
BlockMap Levels::contribution(int level, int rank) const {
  return level == innermost() ? BlockMap::affine(Buffer::send, 0)
                              : BlockMap::table({blocks_of(represented_by(level, rank))});
}

BlockMap Levels::contributions_of_team(int level, int rank) const {
  BlockMap all = BlockMap::table();
  for (const int member : team(level, rank)) all.add(blocks_of(represented_by(level, member)));
  return all;
}

void Levels::gather(ScheduleBuilder& schedule, int level, int rank, const Flat& flat) const {
  for (int each = innermost(); each >= level; --each)
    in_teams(schedule, each, rank, flat, contribution(each, rank),
             contributions_of_team(each, rank), Scratch::at_home);
}

}  // namespace toccata
