#include "algorithms/leaders.h"

#include <algorithm>
#include <numeric>

#include "algorithms/region_blocks.h"
#include "patterns/binomial.h"
#include "schedule/combinators.h"

namespace toccata {

namespace {

// Both are in numbers of the members, the leader being 0, and in buffers where every rank has room
// for all blocks, so that nothing passes through scratch.

Schedule to_leader(bool linear, int p, int rank) {
  if (linear) return Flat(gather, "linear").schedule(p, rank);
  const Binomial tree = Binomial::of(p, rank, 0);
  ScheduleBuilder schedule;
  for (int distance = 1; distance <= tree.farthest(); distance *= 2) {
    schedule.round();
    if (tree.has_child(distance)) {
      const int child = tree.child(distance);
      schedule.recv(child, recv(child, tree.span(distance)), Travel::packed);
    } else if (distance == tree.reach()) {
      BlockRanges subtree{send(0)};
      append(subtree, recv(rank + 1, tree.span() - 1));
      schedule.send(tree.parent(), subtree, Travel::packed);  // two pieces here, one there
    }
  }
  if (tree.is_root()) (p == 1 ? schedule.round() : schedule).copy(send(0), recv(0));
  return std::move(schedule).build();
}

Schedule from_leader(bool linear, int p, int rank) {
  if (!linear) return Flat(bcast, "binomial").schedule(p, rank);
  ScheduleBuilder schedule;
  schedule.round();
  if (rank > 0) schedule.recv(0, recv(0));
  for (int member = 1; rank == 0 && member < p; ++member) schedule.send(member, recv(0));
  return std::move(schedule).build();
}

int rounds_inside(bool linear, int size) {
  return linear ? std::min(size - 1, 1) : ceil_log2(size);
}

}  // namespace

const Parameter& Leaders::exchange() {
  static const Parameter parameter = [] {
    Parameter made = choice("exchange", "the allgather among leaders",
                            {"bruck", "ring", "recursive_doubling", "sparbit"});
    made.samples = {0, 1};  // the others are like the first
    return made;
  }();
  return parameter;
}

const Parameter& Leaders::local() {
  static const Parameter parameter =
      choice("local", "gather and broadcast by a binomial tree, or by the leader with each rank",
             {"binomial", "linear"});
  return parameter;
}

Leaders::Leaders(Regions regions, const Shape& shape)
    : regions_(std::move(regions)),
      exchange_(allgather, exchange().words[shape.parameters[exchange()]]),
      linear_(shape.parameters.is(local(), "linear")) {}

std::string Leaders::why_impossible() const {
  const std::string why = exchange_.why_impossible(regions_.number());
  return why.empty() ? "" : "needs a power of two leaders for exchange=recursive_doubling";
}

Schedule Leaders::schedule(int rank) const {
  const int p = regions_.ranks();
  const int region = regions_.of(rank), local = regions_.local(rank);
  const auto members = regions_.members(region);
  const auto size = static_cast<int>(members.size());
  ScheduleBuilder schedule;
  // Regions may be of different sizes, and others than leaders wait: the rounds line up all the
  // same.
  const auto add = [&](const Schedule& next, int rounds) {
    schedule.then(next);
    for (int i = next.rounds(); i < rounds; ++i) schedule.round();
  };

  std::vector<BlockRanges> own;
  for (const int member : members) own.push_back({recv(member)});
  const int rounds = rounds_inside(linear_, regions_.largest());
  add(on(members, to_leader(linear_, size, local), BlockMap::affine(Buffer::send, 0),
         BlockMap::table(std::move(own))),
      std::max(rounds, 1));

  Schedule among_leaders;
  if (local == 0) {
    std::vector<int> leaders;
    std::vector<BlockRanges> data;
    for (int each = 0; each < regions_.number(); ++each) {
      leaders.push_back(regions_.members(each).front());
      data.push_back(blocks_of(regions_, each, 1));
    }
    const BlockMap send = BlockMap::table({data[region]});
    among_leaders = on(leaders, exchange_.schedule(regions_.number(), region), send,
                       BlockMap::table(std::move(data)));
  }
  add(among_leaders, exchange_.rounds(regions_.number()));

  const BlockMap all = BlockMap::affine(Buffer::recv, 0, p, p);
  add(on(members, from_leader(linear_, size, local), all, all), rounds);
  return std::move(schedule).build();
}

}  // namespace toccata
