#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "schedule/combinators.h"
#include "topology/division.h"
#include "writing/flat.h"

namespace toccata {

// The ranks of each node, in groups of consecutive places, for one rank. The first of a group leads
// it. All nodes have the same number of ranks.
//
//   6 ranks on nodes 0 1 2 | 3 4 5, two groups per node    {0} {1 2}  {3} {4 5}, led by 0 1, 3 4
struct NodeGroups {
  std::shared_ptr<const Regions> nodes;
  int rank;
  int groups;                 // per node
  int size, here, own, lead;  // of the rank: the size of a node; its node, group, leader's place

  NodeGroups(std::shared_ptr<const Regions> regions, int rank_, int most)
      : nodes(std::move(regions)),
        rank(rank_),
        groups(std::min(most, nodes->largest())),
        size(nodes->largest()),
        here(nodes->of(rank)),
        own(0) {
    while (first(own + 1) <= nodes->local(rank)) ++own;
    lead = first(own);
  }

  static std::string why_impossible(const Shape& shape) {
    const bool even = node_regions(shape.placement, shape.p)->even();
    return even ? "" : "needs the same number of ranks on every node";
  }

  int number() const { return nodes->number(); }
  // The place of a group's leader on its node, and the number of its ranks.
  int first(int group) const { return group * size / groups; }
  int members(int group) const { return first(group + 1) - first(group); }
  int rank_at(int node, int place) const { return nodes->members(node)[place]; }
  int leader() const { return rank_at(here, lead); }
  bool leads() const { return rank == leader(); }

  // Leaders at the same place of all nodes, and all leaders of the node.
  std::vector<int> leaders_beyond() const {
    std::vector<int> ranks;
    for (int node = 0; node < number(); ++node) ranks.push_back(rank_at(node, lead));
    return ranks;
  }
  std::vector<int> leaders_here() const {
    std::vector<int> ranks;
    for (int group = 0; group < groups; ++group) ranks.push_back(rank_at(here, first(group)));
    return ranks;
  }

  // Runs a collective among some leaders, of which this one is at `place`. The other ranks open as
  // many rounds.
  void among(const std::vector<int>& ranks, int place, const Flat& flat, ScheduleBuilder& schedule,
             const BlockMap& from, const BlockMap& into) const {
    const int number = static_cast<int>(ranks.size());
    Schedule part;
    if (leads())
      part = on(ranks, flat.schedule(number, place), from, into, schedule.scratch_blocks());
    schedule.go_on({&part, 1}, flat.rounds(number));
  }

  // One block per rank: by node and place, or by group, node and place.
  BlockRanges by_node(Buffer buffer) const {
    BlockRanges blocks;
    for (int node = 0; node < number(); ++node)
      for (const int each : nodes->members(node)) append(blocks, {buffer, each});
    return blocks;
  }
  BlockRanges by_group(Buffer buffer) const {
    BlockRanges blocks;
    for (int group = 0; group < groups; ++group)
      for (int node = 0; node < number(); ++node)
        for (int i = 0; i < members(group); ++i)
          append(blocks, {buffer, rank_at(node, first(group) + i)});
    return blocks;
  }
};

}  // namespace toccata
