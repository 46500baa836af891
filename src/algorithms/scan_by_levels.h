#pragma once

#include <vector>

#include "algorithms/flat.h"
#include "algorithms/levels.h"

namespace toccata {

// Ranks in a row on one node, socket, ..., level by level: where operands have to stay in the order
// of the ranks, these can be combined first, wherever ranks are placed.
//
//   6 ranks on nodes 0 1 4 | 2 3 5      runs {0 1} {2 3} {4} {5}
//
// Level 0 is all ranks; what does not divide is left out. A team is, innermost, the ranks of a run,
// and further out the last ranks of the runs further in.
class Runs {
 public:
  // By the levels that Levels::which() names.
  explicit Runs(const Shape& shape);

  int innermost() const { return static_cast<int>(ends_.size()) - 1; }
  // The ranks of a rank's team, in order; none where it is in no team of the level.
  std::vector<int> team(int level, int rank) const;
  // Whether there are ranks before the run of a level that a rank is in.
  bool has_before(int level, int rank) const { return begin(level, rank) > 0; }
  // The most rounds of a collective in any team of a level.
  int rounds(int level, const Flat& flat) const;

 private:
  int begin(int level, int rank) const;
  int end(int level, int rank) const;

  std::vector<std::vector<int>> ends_;  // of the runs of each level, ascending
};

// Scan and exscan by levels, for one rank: see scan/hierarchical.
class ScanByLevels {
 public:
  ScanByLevels(const Shape& shape, int rank, ScheduleBuilder& schedule);

  void inclusive();
  void exclusive();

 private:
  BlockRange room(int blocks = 1);
  void run(int level, const Flat& flat, std::vector<int> team, const BlockRange& from,
           const BlockRange& into);
  // What comes before the rank in its run of each level that is not the innermost, of `sum`, which
  // all ranks of the rank's innermost run contribute, if it is the last of them.
  void outwards(BlockRange sum);
  // That of all before the rank's innermost run, to `result`, which may hold something already.
  void inwards(const BlockRange& result, bool holds);

  Runs runs_;
  int p_, rank_;
  ScheduleBuilder& schedule_;
  int rooms_ = 0;  // blocks of scratch
  std::vector<BlockRange> before_;
};

}  // namespace toccata
