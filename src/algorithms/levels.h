#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/flat.h"
#include "schedule/combinators.h"
#include "topology/placement.h"

namespace toccata {

// The words in which algorithms by levels are said: a collective in each team of a level, which
// below the outermost is one inside each region and on the outermost one among the leaders, level
// after level in or out, and a collective in each lane.
//
// Every region has a leader: the root where it is a member, else the lowest rank. A team of a level
// is the leaders of the regions further in, or all ranks innermost, of one region; who leads that
// comes first.
//
//   4 ranks on nodes 0 1 | 2 3, root 3      level 0, among the leaders      {3 0}
//                                           level 1, inside each node       {0 1} {3 2}
//
//   allreduce   level 1 reduce   0 2 have 01 23    level 0 allreduce   0 3 have 0123
//               level 1 broadcast                                      all have 0123
//
// Regions may have any sizes and any ranks; levels that divide no rank are left out, so that
// without any all ranks are one team.
class Levels {
 public:
  // Which levels an algorithm goes by, as its parameter: the nodes (the outermost level that
  // divides where nodes do not), nodes and sockets, or all that the machine has.
  static const Parameter& which();
  // The levels that it names, outermost first.
  static std::vector<int> chosen(const Shape& shape, const Parameter& which);

  // By the shape's parameter, or by these regions and inside them.
  explicit Levels(const Shape& shape);
  Levels(std::shared_ptr<const Regions> regions, int root);

  int number() const { return static_cast<int>(borders_.size()) + 1; }
  int innermost() const { return number() - 1; }
  // The ranks of a rank's team; none where it is in no team of the level.
  std::vector<int> team(int level, int rank) const;
  // The ranks that a member of a team stands for, itself included; they ascend.
  std::vector<int> behind(int level, int member) const;

  // The most rounds of a collective in any team of a level, which one of the largest two sizes
  // has, and the largest team.
  int rounds(int level, const Flat& flat) const;
  int largest(int level) const { return sizes_[level].largest; }
  // The number of rounds in which a rank is busy with what comes to it, if the outermost level runs
  // one algorithm and those further in another: after so many the next segment may come.
  int busy(const Flat& outermost, const Flat& inside) const;

  // A collective in the rank's team, whose blocks lie where the maps say; then what rounds other
  // teams need more, so that those of all ranks line up.
  void run(ScheduleBuilder& schedule, int level, int rank, const Flat& flat, const BlockMap& send,
           const BlockMap& recv, Scratch scratch = Scratch::apart) const;

  // Rounds of a collective on all levels from one on.
  int rounds_from(int level, const Flat& flat) const;

  // From that level in: `blocks` of recv, from 0 on, broadcast by leaders to those they lead.
  void broadcast(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                 int blocks) const;
  // The same the other way, from the innermost level out: what all contribute in send, combined, to
  // the leaders of `level`, who have it in recv if they are on the level further out, too.
  void reduce(ScheduleBuilder& schedule, int level, int rank, const Flat& broadcast,
              int blocks) const;

  // The blocks that a rank has to give on a level, its own in send or those in recv of all ranks it
  // stands for, and, in recv, those of each of its team.
  BlockMap own(int level, int rank) const;
  BlockMap of_all(int level, int rank) const;

  // From the innermost level out as far as `level`: every rank's block, to the leaders, which have
  // it in recv, where every rank has room for all.
  void gather(ScheduleBuilder& schedule, int level, int rank, const Flat& flat) const;

 private:
  int leader(int border, int region) const;
  // The regions whose teams those of a level are; null for all ranks.
  const Regions* around(int level) const { return level == 0 ? nullptr : &*borders_[level - 1]; }
  bool stands_in(int level, int rank) const;

  // Of the teams of a level; the second largest of those that differ, or the same again.
  struct Sizes {
    int largest = 0, second = 0;
    void add(int size);
  };
  void find_sizes();

  int p_ = 1, root_ = 0;
  std::vector<std::shared_ptr<const Regions>> borders_;  // outermost first
  std::vector<Sizes> sizes_;                             // by level
};

// A broadcast by levels in segments, which played backwards is a reduction.
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

// A rank of each node in each lane: with the number of the lane, or where a node has fewer ranks,
// one that is in other lanes as well. So all lanes reach all nodes.
//
//   5 ranks on nodes 0 1 2 | 3 4      lanes  {0 3} {1 4} {2 3}
//
// The root's node comes first, and of its ranks the root, which so is the first of lane 0.
class Lanes {
 public:
  // Lanes: as many as this, at most; 0 means as many as the largest node has ranks.
  static const Parameter& how_many();

  Lanes(const Shape& shape, int number);

  // Whether nodes divide the ranks: if not, there is one lane, of all ranks.
  bool divide() const { return levels_.number() > 1; }
  int number() const { return number_; }
  int nodes() const { return regions_->number(); }
  bool even() const { return regions_->even(); }
  // Nodes and their ranks are counted from the root's on: a rank's node, its place there.
  int node(int rank) const { return (regions_->of(rank) - first_ + nodes()) % nodes(); }
  int place(int rank) const;
  int size(int node) const { return regions_->size(region(node)); }
  // The rank of a node that comes first there.
  int first_of(int node) const { return at(0, node); }

  // Of a message of `width` blocks a lane, those of the lanes that a rank carries; and those of
  // each rank of its node.
  BlockMap own(int rank, Buffer buffer, int width) const;
  BlockMap of_all(int rank, Buffer buffer, int width) const;

  // Where there is a block for every rank, and no root: a lane is for the ranks whose place,
  // divided by the number of lanes, leaves its own number. How many these are on a node, and on
  // all.
  int served(int lane, int node) const {
    return lane < size(node) ? (size(node) - 1 - lane) / number_ + 1 : 0;
  }
  int served(int lane) const;
  bool is_for(int lane, int rank) const { return place(rank) % number_ == lane; }
  // Their blocks as a block of each node; those of all lanes that a rank carries, and that each
  // rank of its node does; those of all ranks of a node, in recv.
  BlockMap by_node(int lane, Buffer buffer) const;
  BlockMap own(int rank, Buffer buffer) const;
  BlockMap of_all(int rank, Buffer buffer) const;
  BlockRanges of_node(int node) const;

  // A collective inside each node, or inside the root's alone.
  enum class Nodes : std::uint8_t { all, the_roots };
  void inside(ScheduleBuilder& schedule, int rank, const Flat& flat, const BlockMap& send,
              const BlockMap& recv, Nodes nodes = Nodes::all) const;

  // A collective in each lane that the rank carries, whose blocks lie where the maps say.
  using PerLane = std::function<BlockMap(int lane)>;
  void run(ScheduleBuilder& schedule, int rank, const Flat& flat, const PerLane& send,
           const PerLane& recv) const;
  // The same of `width` blocks of recv, in as many segments; contributions are taken from recv too,
  // unless there are no nodes and nothing has been done yet.
  void run(ScheduleBuilder& schedule, int rank, const Flat& flat, int width,
           int segments = 1) const;

  // The same by a schedule of the rank's node among the nodes, as `node` counts them, in which no
  // node has more than so many rounds.
  void run(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds, int width) const;

  // Rounds of one after the other.
  int rounds(const Flat& in_lane, const Flat& inside) const;

 private:
  int region(int node) const { return node + first_ - (node + first_ < nodes() ? 0 : nodes()); }
  int at(int place, int node) const {
    const auto members = regions_->members(region(node));
    const std::size_t from = place + (node == 0 ? regions_->local(root_) : 0);
    return members[from < members.size() ? from : from % members.size()];  // mostly the quick way
  }
  BlockRanges carried(int place, int node, Buffer buffer, int width) const;
  BlockRanges carried(int place, int node, Buffer buffer) const;
  // Whether those that a lane is for are equally far from each other.
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
