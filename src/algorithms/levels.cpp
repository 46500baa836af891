#include "algorithms/levels.h"

#include <algorithm>
#include <utility>

#include "algorithms/region_blocks.h"
#include "patterns/arithmetic.h"
#include "schedule/backwards.h"
#include "topology/division.h"
#include "topology/placements.h"

namespace toccata {

const Parameter& Levels::which() {
  static const Parameter parameter = [] {
    Parameter made =
        choice("levels", "levels of the machine to consider", {"node", "node+socket", "all"});
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

std::vector<int> Levels::behind(int level, int member) const {
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

int Levels::busy(const Flat& outermost, const Flat& inside) const {
  int most = 1;
  for (int level = 0; level < number(); ++level)
    most = std::max(most, (level == 0 ? outermost : inside).busy(largest(level)));
  return most;
}

int Levels::rounds_from(int level, const Flat& flat) const {
  int all = 0;
  for (; level < number(); ++level) all += rounds(level, flat);
  return all;
}

void Levels::run(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
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
  for (; level < number(); ++level) run(schedule, level, rank, flat, message, message);
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
BlockMap Levels::own(int level, int rank) const {
  return level == innermost() ? BlockMap::affine(Buffer::send, 0)
                              : BlockMap::table({blocks_of(behind(level, rank))});
}

BlockMap Levels::of_all(int level, int rank) const {
  BlockMap all = BlockMap::table();
  for (const int member : team(level, rank)) all.add(blocks_of(behind(level, member)));
  return all;
}

void Levels::gather(ScheduleBuilder& schedule, int level, int rank, const Flat& flat) const {
  for (int each = innermost(); each >= level; --each)
    run(schedule, each, rank, flat, own(each, rank), of_all(each, rank), Scratch::at_home);
}

const Parameter& BroadcastByLevels::between() {
  static const Parameter parameter =
      choice("between", "algorithm among leaders: bcast/... (a reduction runs it backwards)",
             {"binomial", "knomial", "pipeline"});
  return parameter;
}
const Parameter& BroadcastByLevels::inside() {
  static const Parameter parameter =
      choice("inside", "algorithm inside each region: bcast/... (a reduction runs it backwards)",
             {"binomial", "pipeline"});
  return parameter;
}
const Parameter& BroadcastByLevels::segments() {
  static const Parameter parameter =
      number("segments", "segments; one moves on inside the region while the next arrives", 1, 1024,
             1, {1, 3});
  return parameter;
}

BroadcastByLevels::BroadcastByLevels(const Shape& shape)
    : levels_(shape),
      between_(bcast, between().words[shape.parameters[between()]]),
      inside_(bcast, inside().words[shape.parameters[inside()]]),
      segments_(shape.parameters[segments()]),
      delay_(segments_ == 1 ? 0 : levels_.busy(between_, inside_)) {}

Schedule BroadcastByLevels::schedule(int rank) const {
  const BlockMap message = BlockMap::affine(Buffer::recv, 0);
  ScheduleBuilder down;
  levels_.run(down, 0, rank, between_, message, message);
  levels_.broadcast(down, 1, rank, inside_, 1);
  return segmented(std::move(down).build(), 1, segments_, delay_);
}

int BroadcastByLevels::rounds() const {
  return levels_.rounds(0, between_) + levels_.rounds_from(1, inside_) + (segments_ - 1) * delay_;
}

const Parameter& Lanes::how_many() {
  static const Parameter parameter = toccata::number(
      "lanes", "ranks per node that exchange with other nodes; 0: as many as the largest node has",
      0, 1024, 0, {0, 2});
  return parameter;
}

Lanes::Lanes(const Shape& shape, int number)
    : regions_(node_regions(shape.placement, shape.p)),
      levels_(regions_, shape.root),
      number_(number == 0 ? regions_->largest() : std::min(number, regions_->largest())),
      root_(shape.root),
      first_(regions_->of(root_)) {}

int Lanes::place(int rank) const {
  const int region = regions_->of(rank), local = regions_->local(rank);
  return region == first_ ? wrap(local - regions_->local(root_), regions_->size(region)) : local;
}

int Lanes::rounds(const Flat& in_lane, const Flat& inside) const {
  return in_lane.rounds(nodes()) + (divide() ? levels_.rounds(1, inside) : 0);
}

BlockRanges Lanes::carried(int place, int node, Buffer buffer, int width) const {
  return runs_below(buffer, std::int64_t{place} * width, width, std::int64_t{size(node)} * width,
                    number_ * width);
}

BlockMap Lanes::own(int rank, Buffer buffer, int width) const {
  return BlockMap::table({carried(place(rank), node(rank), buffer, width)});
}

BlockMap Lanes::of_all(int rank, Buffer buffer, int width) const {
  BlockMap all = BlockMap::table();
  const int here = node(rank);
  for (int place = 0; place < size(here); ++place) all.add(carried(place, here, buffer, width));
  return all;
}

void Lanes::inside(ScheduleBuilder& schedule, int rank, const Flat& flat, const BlockMap& send,
                   const BlockMap& recv, Nodes nodes) const {
  if (!divide()) return;
  if (nodes == Nodes::the_roots && node(rank) != 0)
    schedule.then({}, levels_.rounds(1, flat));
  else
    levels_.run(schedule, 1, rank, flat, send, recv);
}

bool Lanes::regular() const {
  return regions_->even() && regions_->consecutive() && regions_->largest() % number_ == 0;
}

void Lanes::add_blocks(BlockRanges& blocks, int lane, int node, Buffer buffer) const {
  const auto members = regions_->members(node);
  for (std::size_t place = lane; place < members.size(); place += number_)
    append(blocks, {buffer, members[place]});
}

int Lanes::served(int lane) const {
  if (even()) return served(lane, 0) * nodes();
  int all = 0;
  for (int node = 0; node < nodes(); ++node) all += served(lane, node);
  return all;
}

BlockMap Lanes::by_node(int lane, Buffer buffer) const {
  if (regular() && number_ == regions_->largest()) return BlockMap::affine(buffer, lane, number_);
  BlockMap all = BlockMap::table();
  BlockRanges blocks;
  for (int node = 0; node < nodes(); ++node) {
    blocks.clear();
    add_blocks(blocks, lane, node, buffer);
    all.add(blocks);
  }
  return all;
}

BlockRanges Lanes::carried(int place, int node, Buffer buffer) const {
  if (regular()) return runs_below(buffer, place, place < number_, number_, regions_->ranks());
  BlockRanges blocks;
  for (int lane = place; lane < number_; lane += size(node))
    for (int each = 0; each < nodes(); ++each) add_blocks(blocks, lane, each, buffer);
  return blocks;
}

BlockRanges Lanes::of_node(int node) const { return blocks_of(*regions_, node, 1); }

BlockMap Lanes::own(int rank, Buffer buffer) const {
  return BlockMap::table({carried(place(rank), node(rank), buffer)});
}

BlockMap Lanes::of_all(int rank, Buffer buffer) const {
  BlockMap all = BlockMap::table();
  const int here = node(rank);
  for (int place = 0; place < size(here); ++place) all.add(carried(place, here, buffer));
  return all;
}

void Lanes::run(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
                const PerLane& send, const PerLane& recv) const {
  std::vector<Schedule> carried;
  int scratch = schedule.scratch_blocks();
  for (int lane = place(rank); lane < number_; lane += size(node(rank))) {
    std::vector<int> ranks(nodes());
    for (int each = 0; each < nodes(); ++each) ranks[each] = at(lane, each);
    carried.push_back(on(ranks, own, send(lane), recv(lane), scratch));
    scratch += static_cast<int>(blocks(carried.back().scratch()));
  }
  schedule.go_on(carried, rounds);
}

void Lanes::run(ScheduleBuilder& schedule, int rank, const Flat& flat, const PerLane& send,
                const PerLane& recv) const {
  run(schedule, rank, flat.schedule(nodes(), node(rank)), flat.rounds(nodes()), send, recv);
}

void Lanes::run(ScheduleBuilder& schedule, int rank, const Flat& flat, int width,
                int segments) const {
  const int delay = segments == 1 ? 0 : flat.busy(nodes());
  run(schedule, rank,
      segmented(flat.schedule(nodes(), node(rank)), width / segments, segments, delay),
      flat.rounds(nodes()) + delay * (segments - 1), width);
}

void Lanes::run(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
                int width) const {
  const auto message = [&](Buffer buffer) {
    return [=](int lane) { return BlockMap::affine(buffer, lane * width); };
  };
  run(schedule, rank, own, rounds, message(divide() ? Buffer::recv : Buffer::send),
      message(Buffer::recv));
}

}  // namespace toccata
