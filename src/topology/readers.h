#pragma once

#include <string>
#include <string_view>

#include "topology/machine.h"

namespace toccata {

// The machine that a text describes. TopologyError if it is invalid. The text is one of:
// - a file of any kind below, or hwloc's XML
// - levels as parse_machine reads them
// - a file followed by the levels inside its nodes, such as "topology.conf socket:2 core:8"
Machine read_machine(std::string_view text);

// The machine of one file's contents. TopologyError names `file`, line and reason.
//
// Switches become levels from the nodes outwards: "leaf" (those with hosts), "spine", "switch3",
// ...; nodes and switches keep their names. If the file has no cores, each node is one place.

// Slurm's topology.conf, of switches or of blocks.
Machine read_slurm(std::string_view contents, const std::string& file);

// The output of `ibnetdiscover`. Leaf switches that reach each other through switches at most k
// levels further from the hosts are in one object of the k-th level outside them. So a pod of a fat
// tree is one "spine", for any number of spine switches.
Machine read_ibnetdiscover(std::string_view contents, const std::string& file);

// The output of `toccata topo --save`: the machine in one line, names, and packed trees.
//
//   machine leaf:2 node:2 core:4
//   labels leaf s1,s2
//   labels node n[001-004]
//   tree bcast 1 -,0,0,1
Machine read_saved(std::string_view contents, const std::string& file);
std::string saved(const Machine& machine);

}  // namespace toccata
