#pragma once

#include <vector>

#include "collectives/reordering.h"
#include "writing/algorithm.h"

namespace toccata {

// The reason why an algorithm cannot keep the order of its buffers with this `order`, as the end of
// a sentence; empty if it can.
std::string why_impossible(const Algorithm& algorithm, Order order);

// Whether a reordered reduction still combines its operands in the order of the ranks. This
// requires an exchange of the contributions.
bool keeps_order_of_ranks(const Algorithm& algorithm, Order order);

// The complete shape of a communicator in which our rank players[i] plays rank i of the algorithm.
// The parameters in `known` may be empty or given.
Shape reordered(const Algorithm& algorithm, Shape known, std::vector<int> players, Order order);

// One rank's schedule in such a shape: the schedule of the role that it plays, with translated
// peers. With straight, blocks go directly to their places. With exchange, ranks exchange
// contributions before and results after. With shuffle, there are copies before and after. In the
// last two cases, the schedule needs no more ranges than the algorithm's own, except for these
// copies.
Schedule reordered(const Algorithm& algorithm, const Shape& shape, int rank);

}  // namespace toccata
