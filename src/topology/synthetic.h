#pragma once

#include <string>
#include <string_view>

#include "topology/machine.h"

namespace toccata {

// A machine in one line, similar to hwloc's synthetic topologies: its levels, outermost first, each
// with its number of objects per object of the previous level.
//
//   node:2 socket:2 core:8       2 nodes of 2 sockets of 8 cores
//   leaf:3 node:4,2,3 core:2     the first leaf switch has 4 nodes, the second 2, the third 3
//   node:4,2,3 core:2            the same; a list at the beginning implies a level "group"
//   node:512 core:64*511,32      64 cores in 511 nodes, 32 in the last
//   torus:8x8x8 core:2           512 nodes on a torus
//   torus:4x4:router node:2      the name of the torus' cells if they are not nodes
//   mesh:4x~6 core:2             a mesh; dimensions marked ~ are periodic
//
// TopologyError names the invalid word.
Machine parse_machine(std::string_view text);

// A machine with additional levels inside its innermost objects: "socket:2 core:8".
Machine parse_inside(const Machine& outside, std::string_view text);

// The text for a machine, without the names of its objects.
std::string text(const Machine& machine);

}  // namespace toccata
