#pragma once

#include <string>
#include <string_view>

#include "topology/machine.h"

namespace toccata {

// The machine that a text describes: a file of any kind below, or hwloc's XML, or levels as
// parse_machine reads them, or a file and what is inside of its nodes, as
// "topology.conf socket:2 core:8". TopologyError if it cannot be.
Machine read_machine(std::string_view text);

// The machine of one file's contents. TopologyError names `file`, line and reason.
//
// Switches become levels from the nodes outwards: "leaf" (those with hosts), "spine", "switch3",
// ...; nodes and switches keep their names. Where the file has no cores, a node is a place.

// Slurm's topology.conf, of switches or of blocks.
Machine read_slurm(std::string_view contents, const std::string& file);

// What `ibnetdiscover` prints. Leaf switches that can reach each other by way of switches at most
// k further from the hosts are in one object of the k-th level outside them; so a pod of a fat tree
// is one "spine", however many spines it has.
Machine read_ibnetdiscover(std::string_view contents, const std::string& file);

// What `toccata topo --save` writes: the machine in one line, names, and trees that were packed.
//
//   machine leaf:2 node:2 core:4
//   labels leaf s1,s2
//   labels node n[001-004]
//   tree bcast 1 -,0,0,1
Machine read_saved(std::string_view contents, const std::string& file);
std::string saved(const Machine& machine);

}  // namespace toccata
