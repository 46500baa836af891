#include "writing/lanes.h"

#include <algorithm>

#include "patterns/arithmetic.h"
#include "topology/division.h"
#include "writing/region_blocks.h"

namespace toccata {

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

BlockRanges Lanes::blocks_at(int place, int node, Buffer buffer, int width) const {
  return runs_below(buffer, std::int64_t{place} * width, width, std::int64_t{size(node)} * width,
                    number_ * width);
}

BlockMap Lanes::carried_by(int rank, Buffer buffer, int width) const {
  return BlockMap::table({blocks_at(place(rank), node(rank), buffer, width)});
}

BlockMap Lanes::carried_in_node(int rank, Buffer buffer, int width) const {
  BlockMap all = BlockMap::table();
  const int here = node(rank);
  for (int place = 0; place < size(here); ++place) all.add(blocks_at(place, here, buffer, width));
  return all;
}

void Lanes::in_nodes(ScheduleBuilder& schedule, int rank, const Flat& flat, const BlockMap& send,
                     const BlockMap& recv, Nodes nodes) const {
  if (!divide()) return;
  if (nodes == Nodes::the_roots && node(rank) != 0)
    schedule.then({}, levels_.rounds(1, flat));
  else
    levels_.in_teams(schedule, 1, rank, flat, send, recv);
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

BlockRanges Lanes::blocks_at(int place, int node, Buffer buffer) const {
  if (regular()) return runs_below(buffer, place, place < number_, number_, regions_->ranks());
  BlockRanges blocks;
  for (int lane = place; lane < number_; lane += size(node))
    for (int each = 0; each < nodes(); ++each) add_blocks(blocks, lane, each, buffer);
  return blocks;
}

BlockRanges Lanes::of_node(int node) const { return blocks_of(*regions_, node, 1); }

BlockMap Lanes::carried_by(int rank, Buffer buffer) const {
  return BlockMap::table({blocks_at(place(rank), node(rank), buffer)});
}

BlockMap Lanes::carried_in_node(int rank, Buffer buffer) const {
  BlockMap all = BlockMap::table();
  const int here = node(rank);
  for (int place = 0; place < size(here); ++place) all.add(blocks_at(place, here, buffer));
  return all;
}

void Lanes::in_lanes(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
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

void Lanes::in_lanes(ScheduleBuilder& schedule, int rank, const Flat& flat, const PerLane& send,
                     const PerLane& recv) const {
  in_lanes(schedule, rank, flat.schedule(nodes(), node(rank)), flat.rounds(nodes()), send, recv);
}

void Lanes::in_lanes(ScheduleBuilder& schedule, int rank, const Flat& flat, int width,
                     int segments) const {
  const int delay = segments == 1 ? 0 : flat.segment_interval(nodes());
  in_lanes(schedule, rank,
           segmented(flat.schedule(nodes(), node(rank)), width / segments, segments, delay),
           flat.rounds(nodes()) + delay * (segments - 1), width);
}

void Lanes::in_lanes(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
                     int width) const {
  const auto message = [&](Buffer buffer) {
    return [=](int lane) { return BlockMap::affine(buffer, lane * width); };
  };
  in_lanes(schedule, rank, own, rounds, message(divide() ? Buffer::recv : Buffer::send),
           message(Buffer::recv));
}

}  // namespace toccata
