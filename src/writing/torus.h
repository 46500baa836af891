#pragma once

#include <optional>

#include "collectives/shape.h"
#include "patterns/torus.h"
#include "patterns/torus_tree.h"

namespace toccata {

// The mesh of the ranks, without its dimensions of one cell. One ring of all ranks, in their order,
// if no mesh is known.
Grid grid_of(const Shape& shape);

int cell_of(const Grid& grid, int rank);

// The minimum spanning tree from the root: a rank's position in it, and its number of rounds.
TorusTree tree_of(const Grid& grid, const Shape& shape, int rank);
int tree_rounds(const Shape& shape);
// The number of rounds according to the paper, on a ring of 3^k ranks: k, because every box is cut
// into thirds. On other meshes, the paper has only bounds.
std::optional<int> thirds(const Shape& shape);

// The number of rounds of allgather/swing or its reverse: one for local copies, one to fold cells,
// one for each distance in each dimension, and one to unfold cells.
int doubling_rounds(const Shape& shape);

// The number of pieces of a block that take different routes around the torus: two per dimension.
int ways_round(const Shape& shape);

// A route around a torus for some pieces of every block: around the dimensions in this order, one
// after the other, up (+1) or down (-1).
struct Way {
  std::vector<int> order;
  int direction;
  int first_piece, pieces;
};

// Routes for an allgather in which all links carry the same amount, within half a percent. There
// are N orders, each rotated by one compared with the previous one, and each in both directions. On
// equal dimensions, all routes carry the same number of pieces. Otherwise, let u_i be the share of
// the links that lead along dimension i. (A ring of two cells has half as many links. So has a line
// without wrap-around, at its end cells.) Let j be the last dimension of the route that begins with
// dimension i, of D_i cells. Then its share of a block is
//
//   u_j + u_j / (D_j - 1) - u_i / (D_i - 1)
//
//   16 x 4    19/30 take →↓: 15 times that along →, and 3 · 16 times along ↓
//             11/30 take ↓→: 3 times that along ↓, and 15 · 4 times along →     31.5 along each
std::vector<Way> balanced_ways(const Grid& grid);

// The number of pieces into which these routes cut a block.
int balanced_pieces(const Shape& shape);

// Dimensions from the longest to the shortest: the last one carries most data, so it should be
// short.
std::vector<int> longest_first(const Mesh& mesh);

// Steps around all rings together: the sum of (D - 1) over the dimensions.
int ring_steps(const Mesh& mesh);

}  // namespace toccata
