#pragma once

#include "topology/mesh.h"
#include "topology/reorder/flows.h"

namespace toccata {

// By dimension, the bytes that a cell sends to each neighbour; empty for one byte in all
// dimensions.
using Weights = std::vector<double>;

// The flows if each cell of a mesh sends to each neighbour: cell i is rank i.
Flows flows_between_neighbours(const Mesh& mesh, const Weights& weights = {});

// The cells of a mesh along one line that enters every cell from a neighbour: back and forth along
// the last dimension, then the next dimension outwards. The end is next to the beginning if the
// first dimension is even and periodic, or of size 2.
//
//   3x4   0 1 2 3 / 7 6 5 4 / 8 9 10 11
std::vector<int> snake(const Mesh& mesh);

// Folds ranks that communicate with their neighbours on `job` onto the machine; rank i is in cell i
// of `job`. Folds a ring or mesh into a torus of another shape, or a stencil onto nodes. The
// dimensions of the machine's mesh (with the ranks of a cell as one more) may form groups that have
// the sizes of the job's dimensions. Then each dimension follows the snake of its group, and
// neighbours remain neighbours. Otherwise, the best of these is used: snake along snake, patches
// with little traffic across their borders on close cores, map_flows, or the original order. The
// best has the fewest hop-bytes, and not more bytes between nodes than the original order.
Mapping fold(const Placement& placement, const Mesh& job, const Weights& weights = {});

// The same if the mesh has fewer cells than there are ranks; those after the last cell are not in
// it.
Mapping fold_some(const Placement& placement, const Mesh& job, const Weights& weights = {});

// A ring of all ranks with `root` in the first place: rmh; on a mesh, its snake if that has fewer
// hops.
Mapping fold_ring(const Placement& placement, const MappingOptions& options = {});

}  // namespace toccata
