#pragma once

#include <vector>

#include "writing/flat.h"
#include "writing/levels.h"

namespace toccata {

// Runs of consecutive ranks on one node, socket, ..., level by level. If operands must stay in the
// order of the ranks, the ranks of a run can be combined first, for any placement.
//
//   6 ranks on nodes 0 1 4 | 2 3 5      runs {0 1} {2 3} {4} {5}
//
// Level 0 is one run of all ranks; levels that do not divide them are left out. At the innermost
// level, a team consists of the ranks of a run. Further out, it consists of the last ranks of the
// inner runs.
class Runs {
 public:
  // The levels are those that Levels::which() selects.
  explicit Runs(const Shape& shape);

  int innermost() const { return static_cast<int>(ends_.size()) - 1; }
  // The ranks of a rank's team, in order; empty if it is in no team of the level.
  std::vector<int> team(int level, int rank) const;
  // Whether there are ranks before the rank's run of a level.
  bool has_before(int level, int rank) const { return begin(level, rank) > 0; }
  // The maximum number of rounds of a collective in any team of a level.
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

  // The cost of a scan or exscan if no level divides the ranks. In runs, different ranks have the
  // most messages in different steps.
  static std::optional<Cost> claim(const Shape& shape, const Collective& collective);

 private:
  BlockRange room(int blocks = 1);
  void run(int level, const Flat& flat, std::vector<int> team, const BlockRange& from,
           const BlockRange& into);
  // Calculates before_ for each level except the innermost: the sum of the inner runs before the
  // rank's own one, within the rank's run of that level. `sum` is the sum of the rank's innermost
  // run, if the rank is the last of it.
  void outwards(BlockRange sum);
  // Adds the sum of all ranks before the rank's innermost run to `result`, which may already hold a
  // value.
  void inwards(const BlockRange& result, bool holds);

  Runs runs_;
  int p_, rank_;
  ScheduleBuilder& schedule_;
  int rooms_ = 0;  // blocks of scratch
  std::vector<BlockRange> before_;
};

}  // namespace toccata
