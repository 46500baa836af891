#pragma once

#include <string>
#include <string_view>

#include "topology/machine.h"

namespace toccata {

// A machine in one line, in the manner of hwloc's synthetic topologies: its levels, outermost
// first, and how many objects each has within one of the level before.
//
//   node:2 socket:2 core:8       2 nodes of 2 sockets of 8 cores
//   leaf:3 node:4,2,3 core:2     the first leaf switch has 4 nodes, the second 2, the third 3
//   node:4,2,3 core:2            the same; a list to begin with stands for a level "group"
//   node:512 core:64*511,32      64 cores in 511 nodes, 32 in the last
//   torus:8x8x8 core:2           512 nodes on a torus
//   torus:4x4:router node:2      where the cells of the torus are not nodes: their name
//   mesh:4x~6 core:2             a mesh, whose dimensions marked ~ are periodic
//
// TopologyError names the word that cannot be.
Machine parse_machine(std::string_view text);

// A machine whose innermost objects have more levels within: "socket:2 core:8".
Machine parse_inside(const Machine& outside, std::string_view text);

// Back to text; what the objects are called is not said.
std::string text(const Machine& machine);

}  // namespace toccata
