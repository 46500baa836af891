#pragma once

#include "collectives/shape.h"
#include "patterns/torus.h"
#include "patterns/torus_tree.h"

namespace toccata {

// The mesh that the ranks are laid on, without its dimensions of one cell. One ring of all ranks,
// in their order, where nobody knows of a mesh.
Grid grid_of(const Shape& shape);

// The cell that a rank is in.
int cell_of(const Grid& grid, int rank);

// The minimum spanning tree from the root: the place of a rank in it, and its rounds.
TorusTree tree_of(const Grid& grid, const Shape& shape, int rank);
int tree_rounds(const Shape& shape);

// Pieces of a block that go different ways round the torus: two for each of its dimensions.
int ways_round(const Shape& shape);

// Dimensions from the longest to the shortest: what goes last carries most, so let it be short.
std::vector<int> longest_first(const Mesh& mesh);

// Steps round all rings together: the sum of (D - 1) over the dimensions.
int ring_steps(const Mesh& mesh);

}  // namespace toccata
