#pragma once

#include <vector>

#include "patterns/arithmetic.h"
#include "schedule/block_range.h"
#include "topology/mesh.h"

namespace toccata {

// Cells of a mesh that form a box: in each dimension `extent` of them from `first` on, round the
// ring where they pass its end.
struct CellBox {
  std::vector<int> first;
  std::vector<int> extent;

  int cells() const;

  bool operator==(const CellBox&) const = default;
};

// The blocks of a box's cells, in the order of the cells, in a buffer that has `blocks` blocks for
// each rank: of each those from `first` on, `count` of them.
BlockRanges blocks_of(const Grid& grid, const CellBox& box, Buffer buffer, int blocks = 1,
                      int first = 0, int count = 1);

// The cell `steps` further in a dimension, round the ring (which a mesh has to close by the way
// back).
int toward(const Mesh& mesh, int cell, int dimension, int steps);

// Rings round a torus, one dimension after the other: in round i a rank passes on what it got in
// the round before, and what came in the first dimensions goes round the next ones whole.
//
//   3 x 2, first dimension first    a .     a .     a .     a b
//   what cell a gets                . .     . .     e .     e f
//                                   . .     c .     c .     c d
struct RingRound {
  int to, from;            // cells
  CellBox sent, received;  // what they held at first
};

// The rounds of a cell. `order` names the dimensions; `direction`, +1 or -1, is where data go.
std::vector<RingRound> ring_rounds(const Mesh& mesh, int cell, const std::vector<int>& order,
                                   int direction);

// Buckets that collect in all dimensions at the same time: [chan2006, section 4.2.2]. What a cell
// starts with goes to the next cell in every dimension at once; what comes in dimension i of
// `order` goes on in that one and in the later ones, never in the earlier, so that everything comes
// to every cell once.
//
//   3 x 3, what is sent first in     a→ .  .     a  a→ .     a  a  a
//   the cell above on the left       ↓           ↓           ↓
//                                    .  .  .     a→ .  .     a  a→ .
//                                                ↓           ↓
//                                    .  .  .     .  .  .     a→ .  .     and then the last two
struct BucketMessage {
  int to, from;                     // cells
  std::vector<int> sent, received;  // the cells that had it at first
};

// The messages of a cell, by rounds.
std::vector<std::vector<BucketMessage>> bucket_rounds(const Mesh& mesh, int cell,
                                                      const std::vector<int>& order);

}  // namespace toccata
