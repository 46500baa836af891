#pragma once

#include <utility>
#include <vector>

#include "schedule/builder.h"
#include "schedule/combinators.h"
#include "topology/mesh.h"

namespace toccata {

// The part of one rank in a round of an allgather along a line of a torus. The rank exchanges
// blocks with other ranks of the line. Here, ranks and blocks are coordinates on the line.
struct LineRound {
  struct Exchange {
    int to, from;
    std::vector<int> sent, received;
  };
  std::vector<Exchange> exchanges;
  std::vector<int> held;  // afterwards
};

// Cells of a mesh: all combinations of these coordinates in each dimension.
using Cells = std::vector<std::vector<int>>;
std::vector<int> ranks_in(const Grid& grid, const Cells& cells);

// An allgather on a torus that consists of allgathers along its lines. A block along one line
// stands for the blocks that the rank then has in the other dimensions:
//
//   2 x 2, along the rows a<>b c<>d, then along the columns ab<>cd
//
// The rounds of the dimensions alternate and end together. `part` is the part of each block that
// moves; it begins with another dimension than the previous one.
class AlongLines {
 public:
  // `lines` are the rounds in each dimension, `held` the cells whose blocks the rank has before.
  AlongLines(const Grid& grid, int rank, std::vector<std::vector<LineRound>> lines, Cells held)
      : grid_(grid), rank_(rank), lines_(std::move(lines)), held_(std::move(held)) {}

  // A rank that does not act only opens the rounds.
  void write(int part, int parts, bool acts, ScheduleBuilder& schedule);

 private:
  const Grid& grid_;
  int rank_;
  std::vector<std::vector<LineRound>> lines_;
  Cells held_;
};

// Cells that are folded before an allgather and unfolded after it: the first of them acts for all,
// with all their blocks.
class FoldedCells {
 public:
  FoldedCells(const Grid& grid, int rank, const Cells& folded, int part, int parts)
      : ranks_(ranks_in(grid, folded)),
        rank_(rank),
        number_(grid.mesh.cells()),
        part_(part),
        parts_(parts) {}

  bool acts() const { return rank_ == ranks_.front(); }
  // A round each, even if nothing is folded.
  void fold(ScheduleBuilder& schedule) const;
  void unfold(ScheduleBuilder& schedule) const;

 private:
  BlockRange block(int of) const { return recv(of * parts_ + part_); }
  BlockRanges all_but(int of) const;

  std::vector<int> ranks_;
  int rank_, number_, part_, parts_;
};

}  // namespace toccata
