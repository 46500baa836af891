#pragma once

#include "topology/mesh.h"
#include "topology/reorder/flows.h"

namespace toccata {

// What the cells of a mesh send to their neighbours, a byte to each: cell i is rank i.
Flows flows_between_neighbours(const Mesh& mesh);

// The cells of a mesh along one line that enters every cell from a neighbour: up and down the last
// dimension, and so on outwards. It ends beside its beginning where the first dimension is even and
// periodic, or of size 2.
//
//   3x4   0 1 2 3 / 7 6 5 4 / 8 9 10 11
std::vector<int> snake(const Mesh& mesh);

// Ranks that talk to their neighbours on `job`, rank i in its cell i, folded onto the machine: a
// ring or mesh into a torus of another shape, or a stencil onto nodes. Where the dimensions of the
// machine's mesh (with the ranks of a cell as one more) can be grouped so that each group has the
// size of one dimension of the job, that dimension goes along the group's snake, and neighbours
// stay neighbours. Else snake along snake, square patches on close cores, or map_flows; whichever
// has the fewest hop-bytes, which may be the ranks as they are.
Mapping fold(const Placement& placement, const Mesh& job);

// A ring of all ranks with `root` in the first place: rmh, or where the machine is a mesh along its
// snake, if that has fewer hops.
Mapping fold_ring(const Placement& placement, const MappingOptions& options = {});

}  // namespace toccata
