#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "networks/network.h"
#include "topology/packed_trees.h"

namespace toccata {

// Spanning trees of a network without switches, `roots[i]` from node i, which use no link more
// often than its capacity. [edmonds1973] gives the condition for their existence. They grow link by
// link, and equal trees grow together. A flow determines the number of trees that may take a link
// so that the rest can still be completed [zhao2024]. std::invalid_argument if such trees do not
// exist: the capacities do not suffice, or the network is disconnected.
std::vector<PackedTree> pack_trees(const Network& network, const std::vector<std::int64_t>& roots);

// A distribution of roots for which `trees` spanning trees exist: the number of trees that begin at
// each node. Empty if no distribution allows them. Nodes with little capacity become roots first.
std::optional<std::vector<std::int64_t>> balanced_roots(const Network& network, std::int64_t trees);

// Checks that trees use no link of the network beyond its capacity, and that `roots[i]` of them
// begin at node i. Returns the error in one line; empty if there is none.
std::string why_wrong(const Network& network, const std::vector<std::int64_t>& roots,
                      const std::vector<PackedTree>& trees);

}  // namespace toccata
