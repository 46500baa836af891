#pragma once

#include <optional>
#include <vector>

#include "networks/network.h"
#include "topology/mesh.h"
#include "topology/packed_trees.h"

namespace toccata {

// Spanning trees of a torus from every node, two per dimension, for allgathers on more nodes than
// pack_trees() can treat. They begin as the trees of `torus_multiport`: each goes along the
// dimensions in one of N orders, upwards or downwards. If all dimensions are equal, they use all
// links of the whole torus equally.
//
//   a ring of 4, the trees of node 0:   upwards 0 -> 1 -> 2 -> 3     downwards 0 -> 3 -> 2 -> 1
//
// `network` contains the links that exist, with the number of trees that each can carry. Where a
// tree uses a link that is missing or full, a node and everything below it moves to another link.
// Nothing if some links stay too full.
std::optional<std::vector<PackedTree>> pack_torus(const Mesh& torus, const Network& network);

}  // namespace toccata
