#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/flat.h"
#include "schedule/combinators.h"
#include "topology/placement.h"

namespace toccata {

// Building blocks of algorithms by levels: a collective in each team of a level, level after level
// inwards or outwards, and a collective in each lane. The teams of the outermost level consist of
// leaders; on the levels below, there is one team inside each region.
//
// Every region has a leader: the root if it is a member, otherwise the lowest rank. A team of a
// level consists of the leaders of the inner regions of one region. At the innermost level, it
// consists of all ranks of the region. The leader of the region comes first.
//
//   4 ranks on nodes 0 1 | 2 3, root 3      level 0, among the leaders      {3 0}
//                                           level 1, inside each node       {0 1} {3 2}
//
//   allreduce   level 1 reduce   0 2 have 01 23    level 0 allreduce   0 3 have 0123
//               level 1 broadcast                                      all have 0123
//
// Regions may have any sizes and any ranks. Levels that do not divide the ranks are left out. If no
// level remains, all ranks are one team.
class Levels {
 public:
  // The parameter for the levels that an algorithm uses: the nodes, nodes and sockets, or all
  // levels of the machine. If the chosen levels do not divide the ranks, it uses the outermost
  // level that does.
  static const Parameter& which();
  // The levels that it selects, outermost first.
  static std::vector<int> chosen(const Shape& shape, const Parameter& which);

  // The levels come from the shape's parameter, or there are two levels: between these regions, and
  // inside them.
  explicit Levels(const Shape& shape);
  Levels(std::shared_ptr<const Regions> regions, int root);

  int number() const { return static_cast<int>(borders_.size()) + 1; }
  int innermost() const { return number() - 1; }
  // The ranks of a rank's team; empty if it is in no team of the level.
  std::vector<int> team(int level, int rank) const;
  // The ranks that a member of a team represents, including itself, in ascending order.
  std::vector<int> behind(int level, int member) const;

  // The maximum number of rounds of a collective in any team of a level, and the size of the
  // largest team. A team of the largest or the second largest size has the maximum.
  int rounds(int level, const Flat& flat) const;
  int largest(int level) const { return sizes_[level].largest; }
  // The number of rounds in which a rank is busy with one segment, if the outermost level runs one
  // algorithm and the inner levels another. After these rounds, the next segment may start.
  int busy(const Flat& outermost, const Flat& inside) const;

  // Runs a collective in the rank's team, with blocks at the places that the maps return. Adds
  // empty rounds if other teams need more rounds, so that the rounds of all ranks stay aligned.
  void run(ScheduleBuilder& schedule, int level, int rank, const Flat& flat, const BlockMap& send,
           const BlockMap& recv, Scratch scratch = Scratch::apart) const;

  // The number of rounds of a collective on all levels from `level` inwards.
  int rounds_from(int level, const Flat& flat) const;

  // From `level` inwards, leaders broadcast the first `blocks` blocks of recv to their teams.
  void broadcast(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                 int blocks) const;
  // The opposite, from the innermost level outwards to `level`: combines the contributions of all
  // ranks, which are in send, at the leaders of the teams of `level`. The result is in their recv.
  void reduce(ScheduleBuilder& schedule, int level, int rank, const Flat& broadcast,
              int blocks) const;

  // `own`: the blocks that a rank contributes on a level. These are its own block in send at the
  // innermost level, otherwise the blocks in recv of all ranks that it represents. `of_all`: in
  // recv, the contributions of all members of its team.
  BlockMap own(int level, int rank) const;
  BlockMap of_all(int level, int rank) const;

  // From the innermost level outwards to `level`: gathers every rank's block in the recv of the
  // leaders. Every rank must have space for all blocks.
  void gather(ScheduleBuilder& schedule, int level, int rank, const Flat& flat) const;

 private:
  int leader(int border, int region) const;
  // The regions in each of which a level has a team; null if all ranks are one region.
  const Regions* around(int level) const { return level == 0 ? nullptr : &*borders_[level - 1]; }
  bool stands_in(int level, int rank) const;

  // The sizes of a level's teams: the largest, and the largest of the other sizes (0 if all teams
  // have the same size).
  struct Sizes {
    int largest = 0, second = 0;
    void add(int size);
  };
  void find_sizes();

  int p_ = 1, root_ = 0;
  std::vector<std::shared_ptr<const Regions>> borders_;  // outermost first
  std::vector<Sizes> sizes_;                             // by level
};

// A broadcast by levels in segments; in reverse, it is a reduction.
class BroadcastByLevels {
 public:
  static const Parameter& between();
  static const Parameter& inside();
  static const Parameter& segments();

  explicit BroadcastByLevels(const Shape& shape);

  Schedule schedule(int rank) const;
  int rounds() const;

 private:
  Levels levels_;
  Flat between_, inside_;
  int segments_, delay_;
};

// Each lane has one rank of each node: the rank whose local number is that of the lane. On a node
// with fewer ranks, a rank is in several lanes. So all lanes reach all nodes.
//
//   5 ranks on nodes 0 1 2 | 3 4      lanes  {0 3} {1 4} {2 3}
//
// The root's node comes first, and the root is the first rank of its node, so it is the first of
// lane 0.
class Lanes {
 public:
  // The maximum number of lanes; 0 means the number of ranks of the largest node.
  static const Parameter& how_many();

  Lanes(const Shape& shape, int number);

  // Whether nodes divide the ranks; otherwise all ranks are in one lane.
  bool divide() const { return levels_.number() > 1; }
  int number() const { return number_; }
  int nodes() const { return regions_->number(); }
  bool even() const { return regions_->even(); }
  // A rank's node, and its place on the node; both are counted from the root.
  int node(int rank) const { return (regions_->of(rank) - first_ + nodes()) % nodes(); }
  int place(int rank) const;
  int size(int node) const { return regions_->size(region(node)); }
  // The first rank of a node in this order.
  int first_of(int node) const { return at(0, node); }

  // If the message has `width` blocks per lane: the blocks of the lanes that a rank carries
  // (`own`), and those of each rank of its node (`of_all`).
  BlockMap own(int rank, Buffer buffer, int width) const;
  BlockMap of_all(int rank, Buffer buffer, int width) const;

  // If there is one block per rank, and no root: a lane serves the ranks whose place, modulo the
  // number of lanes, is the number of the lane. `served` is the number of these ranks on a node, or
  // on all nodes.
  int served(int lane, int node) const {
    return lane < size(node) ? (size(node) - 1 - lane) / number_ + 1 : 0;
  }
  int served(int lane) const;
  bool is_for(int lane, int rank) const { return place(rank) % number_ == lane; }
  // `by_node`: the blocks of these ranks, as one block per node. `own`: the blocks of all lanes
  // that a rank carries. `of_all`: the same for each rank of its node. `of_node`: in recv, the
  // blocks of all ranks of a node.
  BlockMap by_node(int lane, Buffer buffer) const;
  BlockMap own(int rank, Buffer buffer) const;
  BlockMap of_all(int rank, Buffer buffer) const;
  BlockRanges of_node(int node) const;

  // Runs a collective inside each node, or only inside the root's node.
  enum class Nodes : std::uint8_t { all, the_roots };
  void inside(ScheduleBuilder& schedule, int rank, const Flat& flat, const BlockMap& send,
              const BlockMap& recv, Nodes nodes = Nodes::all) const;

  // Runs a collective in each lane that the rank carries, with blocks at the places that the maps
  // return.
  using PerLane = std::function<BlockMap(int lane)>;
  void run(ScheduleBuilder& schedule, int rank, const Flat& flat, const PerLane& send,
           const PerLane& recv) const;
  // The same for `width` blocks of recv per lane, in `segments` segments. Contributions are also in
  // recv. If nodes do not divide the ranks, they are still in send, because no earlier step has
  // run.
  void run(ScheduleBuilder& schedule, int rank, const Flat& flat, int width,
           int segments = 1) const;

  // The same with the schedule of the rank's node among the nodes, in the order of `node`; no node
  // has more than `rounds` rounds.
  void run(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds, int width) const;

  // The number of rounds of both, one after the other.
  int rounds(const Flat& in_lane, const Flat& inside) const;

 private:
  int region(int node) const { return node + first_ - (node + first_ < nodes() ? 0 : nodes()); }
  int at(int place, int node) const {
    const auto members = regions_->members(region(node));
    const std::size_t from = place + (node == 0 ? regions_->local(root_) : 0);
    return members[from < members.size() ? from : from % members.size()];  // usually without %
  }
  BlockRanges carried(int place, int node, Buffer buffer, int width) const;
  BlockRanges carried(int place, int node, Buffer buffer) const;
  // Whether the ranks of each lane are equally spaced.
  bool regular() const;
  void add_blocks(BlockRanges& blocks, int lane, int node, Buffer buffer) const;
  void run(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
           const PerLane& send, const PerLane& recv) const;

  std::shared_ptr<const Regions> regions_;
  Levels levels_;
  int number_;
  int root_, first_;  // the root, its region
};

}  // namespace toccata
