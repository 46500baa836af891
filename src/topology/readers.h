#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/machine.h"

namespace toccata {

// The machine that a text describes. TopologyError if it is invalid. The text is one of:
// - a file of any kind below, or hwloc's XML; without a byte order mark, or with that of UTF-8
// - levels as parse_machine reads them
// - a file followed by the levels inside its nodes, such as "topology.conf socket:2 core:8"
Machine read_machine(std::string_view text);

// The machine of one file's contents. TopologyError names `file`, line and reason.
//
// Switches become levels from the nodes outwards: "leaf" (those with hosts), "spine", "switch3",
// ...; nodes and switches keep their names. If the file has no cores, each node is one place.

// Slurm's topology.conf, of switches or of blocks, with the files that it includes; or the output
// of `scontrol show topology`. Switches above the same ones are one object: "core1+core2".
Machine read_slurm(std::string_view contents, const std::string& file);

// The output of `ibnetdiscover`. Leaf switches that reach each other through switches at most k
// levels further from the hosts are in one object of the k-th level outside them. So a pod of a fat
// tree is one "spine", for any number of spine switches.
// Adapters whose names do not contain a host are distinguished by their GUIDs, with a remark.
Machine read_ibnetdiscover(std::string_view contents, const std::string& file);

// The same with all cables. A cable between two switches is there in both directions; one between a
// switch and a host only in the switch's.
struct Fabric {
  struct Cable {
    int from, to;       // positions in `names`
    std::string speed;  // such as "4xHDR"; empty if unknown
  };
  Machine machine;
  std::vector<std::string> names = {};  // the nodes of the machine, then the switches
  std::vector<Cable> cables = {};
};
Fabric read_fabric(std::string_view contents, const std::string& file);
// Nothing if the file is of another known kind.
std::optional<Fabric> read_fabric_in(const std::string& file);

// The output of `toccata topo --save`: the machine in one line, names, and packed trees.
//
//   machine leaf:2 node:2 core:4
//   labels leaf s1,s2
//   labels node n[001-004]
//   links node2=1/4
//   choice bcast native<=256K, forestcoll:segments=16
//   tree bcast 1 -,0,0,1
//
// `links` are slow links, as in `toccata topo --links`. `toccata check --save` writes them, and the
// commands about networks read them. A `choice` is the best choice on these links, in the language
// of TOCCATA_<COLLECTIVE> (choices/topology_setting.h).
Machine read_saved(std::string_view contents, const std::string& file);
std::string saved(const Machine& machine);

}  // namespace toccata
