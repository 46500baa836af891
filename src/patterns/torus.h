#pragma once

#include <vector>

#include "patterns/arithmetic.h"
#include "schedule/block_range.h"
#include "topology/mesh.h"

namespace toccata {

// Cells of a mesh that form a box. In each dimension, there are `extent` of them from `first` on;
// they continue at the start of the ring if they pass its end.
struct CellBox {
  std::vector<int> first;
  std::vector<int> extent;

  int cells() const;

  bool operator==(const CellBox&) const = default;
};

// The blocks of a box's cells, in the order of the cells. The buffer has `blocks` blocks per rank;
// the result has `count` of these for each cell, from `first` on.
BlockRanges blocks_of(const Grid& grid, const CellBox& box, Buffer buffer, int blocks = 1,
                      int first = 0, int count = 1);

// The cell that is `steps` further in a dimension, around the ring. (On a mesh, messages return
// along the line to close the ring.)
int toward(const Mesh& mesh, int cell, int dimension, int steps);

// Rings around a torus, one dimension after the other: in round i, a rank forwards the data that it
// received in the previous round. The data collected in earlier dimensions travel as a whole around
// later ones.
//
//   3 x 2, first dimension first    a .     a .     a .     a b
//   the data that cell a receives   . .     . .     e .     e f
//                                   . .     c .     c .     c d
struct RingRound {
  int to, from;            // cells
  CellBox sent, received;  // the cells whose data move
};

// The rounds of a cell. `order` lists the dimensions; `direction`, +1 or -1, is the direction in
// which data move.
std::vector<RingRound> ring_rounds(const Mesh& mesh, int cell, const std::vector<int>& order,
                                   int direction);

// Buckets that collect in all dimensions at the same time: [chan2006, section 4.2.2]. A cell sends
// its own data to the next cell in every dimension at once. It forwards data that arrived in
// dimension i of `order` in dimension i and in later ones, never in earlier ones. So all data reach
// every cell exactly once.
//
//   3 x 3, data of the cell          a→ .  .     a  a→ .     a  a  a
//   in the upper left corner         ↓           ↓           ↓
//                                    .  .  .     a→ .  .     a  a→ .
//                                                ↓           ↓
//                                    .  .  .     .  .  .     a→ .  .     and then the last two
struct BucketMessage {
  int to, from;                     // cells
  std::vector<int> sent, received;  // the cells whose data move
};

// The messages of a cell, by rounds.
std::vector<std::vector<BucketMessage>> bucket_rounds(const Mesh& mesh, int cell,
                                                      const std::vector<int>& order);

}  // namespace toccata
