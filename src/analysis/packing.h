#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/network.h"
#include "topology/packed_trees.h"

namespace toccata {

// Spanning trees of a network without switches, as many from each node as `roots` says, which use
// no link more often than its capacity. [edmonds1973] says when they exist; they grow link by link,
// trees that are alike as long as they are alike, and a flow says how many of them may take a link
// so that the rest can still be completed [zhao2024]. std::invalid_argument where there are no such
// trees: the capacities do not suffice, or the network is disconnected.
std::vector<PackedTree> pack_trees(const Network& network, const std::vector<std::int64_t>& roots);

// How many of `trees` spanning trees should begin at each node so that they exist; empty where so
// many do not exist with any roots. Nodes with little capacity become roots first.
std::optional<std::vector<std::int64_t>> balanced_roots(const Network& network, std::int64_t trees);

// What is wrong with trees that are to use no link of the network beyond its capacity, and to begin
// at each node as often as `roots` says, in one line; empty if nothing is.
std::string why_wrong(const Network& network, const std::vector<std::int64_t>& roots,
                      const std::vector<PackedTree>& trees);

}  // namespace toccata
