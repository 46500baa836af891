#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topology/mesh.h"
#include "topology/placement.h"

namespace toccata {

// Places p ranks by the name of a rule. A place is an object of the innermost level (a core), and
// holds one rank; there may be more places than ranks.
//
//   block-bunch, sequential   fill a node before the next one, and a socket before its next one
//   block-scatter             fill a node before the next one, round robin over its sockets
//   cyclic-bunch, cyclic      round robin over the nodes; in one, fill a socket before the next one
//   cyclic-scatter            round robin over the nodes, and over the sockets of each
//   random:SEED               any places, the same in every run
//   8,0-3,5                   rank 0 in place 8, rank 1 in place 0, ...
//   node:0,0,1 core:7         ranks 0 and 1 anywhere on node 0, rank 2 on node 1, rank 3 in core 7
//
// The first four are those of [mirsadeghi2016, section VI], sequential and cyclic those of
// [loch2021, section IV]. On four nodes of two sockets of two cores, the first eight ranks:
//
//   block-bunch     01|23 45|67 ..|.. ..|..        cyclic-bunch     04|.. 15|.. 26|.. 37|..
//   block-scatter   02|13 46|57 ..|.. ..|..        cyclic-scatter   0.|4. 1.|5. 2.|6. 3.|7.
//
// TopologyError if there is no such rule, or too few places.
Placement place(std::shared_ptr<const Machine> machine, int p, std::string_view name);

// The names that need no argument, such as "block-bunch".
const std::vector<std::string_view>& placement_names();

// The places of a placement in the form that `place` reads: "core:0-15 node:3".
std::string text(const Placement& placement);

// The level to which an unbound rank belongs: "node"; on a machine without that name, the cells of
// the network, or -1 for the whole machine.
int node_level(const Machine& machine);

// Names of levels that no algorithm uses and no reader produces, probably misspelt: "foo".
std::vector<std::string> unknown_levels(const Machine& machine);

// The level for the round robin of scatter: "socket", or the next level inside the node.
int socket_level(const Machine& machine);

// The ranks on the mesh of the machine's outermost objects, if each object has the same number of
// ranks; otherwise null. The ranks of a cell form an additional, last dimension.
std::shared_ptr<const Grid> grid_of(const Placement& placement);

}  // namespace toccata
