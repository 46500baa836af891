#pragma once

#include <memory>
#include <vector>

#include "schedule/combinators.h"
#include "topology/placement.h"
#include "writing/flat.h"

namespace toccata {

// Building blocks of algorithms by levels: a collective in each team of a level, level after level
// inwards or outwards. The teams of the outermost level consist of leaders; on the levels below,
// there is one team inside each region.
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
  std::vector<int> represented_by(int level, int member) const;

  // The maximum number of rounds of a collective in any team of a level, and the size of the
  // largest team. A team of the largest or the second largest size has the maximum.
  int rounds(int level, const Flat& flat) const;
  int largest(int level) const { return sizes_[level].largest; }
  // Whether all teams of each level have the same size.
  bool even() const;
  // The sum of the claims of a flat algorithm on all levels from `level` inwards, in even teams:
  // the cost of a leader.
  Cost claim(int level, const Flat& flat) const;
  // The number of rounds after which the next segment may start, if the outermost level runs one
  // algorithm and the inner levels another. Meanwhile, a rank is busy with one segment.
  int segment_interval(const Flat& outermost, const Flat& inside) const;

  // Runs a collective in the rank's team, with blocks at the places that the maps return. Adds
  // empty rounds if other teams need more rounds, so that the rounds of all ranks stay aligned.
  void in_teams(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                const BlockMap& send, const BlockMap& recv, Scratch scratch = Scratch::apart) const;

  // The number of rounds of a collective on all levels from `level` inwards.
  int rounds_from(int level, const Flat& flat) const;

  // From `level` inwards, leaders broadcast the first `blocks` blocks of recv to their teams.
  void broadcast(ScheduleBuilder& schedule, int level, int rank, const Flat& flat,
                 int blocks) const;
  // The opposite, from the innermost level outwards to `level`: combines the contributions of all
  // ranks, which are in send, at the leaders of the teams of `level`. The result is in their recv.
  void reduce(ScheduleBuilder& schedule, int level, int rank, const Flat& broadcast,
              int blocks) const;

  // The blocks that a rank contributes on a level: its own block in send at the innermost level,
  // otherwise the blocks in recv of all ranks that it represents. The second function returns the
  // contributions of all members of its team, in recv.
  BlockMap contribution(int level, int rank) const;
  BlockMap contributions_of_team(int level, int rank) const;

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

}  // namespace toccata
