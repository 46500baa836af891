#pragma once

#include "algorithms/algorithm.h"

namespace toccata {

// What goes out by a rank's edges: the one block that it has for all, or a block each.
enum class Outgoing : std::uint8_t { one_for_all, one_each };

// A round with a message for every edge, and copies for those to itself.
void talk_directly(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule);

// Three rounds: blocks for another node go to one rank of ours, from there together to one rank of
// that node, and so to its ranks that need them; those that stay on the node go directly in the
// second. The relaying rank is one that exchanges messages between the two nodes anyway.
void talk_by_nodes(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule);

// For talking by nodes: what all neighbours are has to be known.
std::string why_not_by_nodes(const Shape& shape);

}  // namespace toccata
