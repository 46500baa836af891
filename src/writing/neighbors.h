#pragma once

#include "writing/algorithm.h"

namespace toccata {

// The data on a rank's outgoing edges: the same block on all, or a different one on each.
enum class Outgoing : std::uint8_t { one_for_all, one_each };

// One round with a message per neighbour, which contains the blocks of all edges to it; edges to
// the rank itself are copies.
void talk_directly(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule);

// The cost of that, if the neighbours of all ranks are known.
std::optional<Cost> claim_of_direct_talk(const Shape& shape, Outgoing outgoing);

// Three rounds. Blocks for another node go to one rank of our node. It sends them in one message to
// one rank of that node, which sends them to the ranks that need them. Blocks that stay on the node
// go directly in the second round. The ranks that forward blocks are ranks that have an edge
// between the two nodes.
void talk_by_nodes(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule);

// The cost of that if no two ranks are on the same node: that of talk_directly. If ranks share
// nodes, the neighbours decide the cost.
std::optional<Cost> claim_of_talk_by_nodes(const Shape& shape, Outgoing outgoing);

// The reason why talk_by_nodes is impossible: the neighbours of all ranks must be known. Empty if
// it is possible.
std::string why_not_by_nodes(const Shape& shape);

}  // namespace toccata
