#pragma once

#include "collectives/shape.h"
#include "patterns/torus.h"
#include "patterns/torus_tree.h"

namespace toccata {

// The mesh that the ranks are laid on, without its dimensions of one cell. One ring of all ranks,
// in their order, if no mesh is known.
Grid grid_of(const Shape& shape);

// The cell that a rank is in.
int cell_of(const Grid& grid, int rank);

// The minimum spanning tree from the root: the place of a rank in it, and its rounds.
TorusTree tree_of(const Grid& grid, const Shape& shape, int rank);
int tree_rounds(const Shape& shape);

// Rounds of an allgather by distances that double, in one dimension after the other: one of local
// copies, one to fold cells, one for each distance, one to unfold cells.
int doubling_rounds(const Shape& shape);

// Pieces of a block that go different ways round the torus: two for each of its dimensions.
int ways_round(const Shape& shape);

// A way round a torus that some pieces of every block go: round the dimensions in this order, one
// after the other, up (+1) or down (-1).
struct Way {
  std::vector<int> order;
  int direction;
  int first_piece, pieces;
};

// Ways for an allgather in which all links carry as much, within half a percent: N orders, each the
// one before rotated by one, and each of them in both directions. On equal dimensions they go with
// as many pieces each. Else, with u_i the share of links that lead along dimension i (a ring of two
// cells has half as many, and so has a line that is not a ring, seen from its end), the one that
// begins with dimension i, of D_i cells, takes of a block, dimension j being the last,
//
//   u_j + u_j / (D_j - 1) - u_i / (D_i - 1)
//
//   16 x 4    19/30 go →↓, of which 15 come along →, and 3 · 16 along ↓
//             11/30 go ↓→, of which 3 come along ↓, and 15 · 4 along →       31.5 along each
std::vector<Way> balanced_ways(const Grid& grid);

// Pieces that these cut a block into.
int balanced_pieces(const Shape& shape);

// Dimensions from the longest to the shortest: what goes last carries most, so let it be short.
std::vector<int> longest_first(const Mesh& mesh);

// Steps round all rings together: the sum of (D - 1) over the dimensions.
int ring_steps(const Mesh& mesh);

}  // namespace toccata
