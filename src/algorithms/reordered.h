#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "collectives/reordering.h"

namespace toccata {

// The reason why an algorithm cannot keep the order of its buffers in that way, as the end of a
// sentence; empty if it can.
std::string why_impossible(const Algorithm& algorithm, Order order);

// Whether a reordered reduction still combines its operands in the order of the ranks: only by an
// exchange of the contributions.
bool keeps_order_of_ranks(const Algorithm& algorithm, Order order);

// The complete shape of a communicator in which our rank players[i] plays rank i of the algorithm.
// Its parameters may be given.
Shape reordered(const Algorithm& algorithm, Shape known, std::vector<int> players, Order order);

// One rank's schedule in such a shape: the schedule of the role that it plays, with translated
// peers. According to the order, blocks go directly to their places, or ranks exchange
// contributions before and results after, or there are copies before and after. Except for
// straight, and for the copies of a shuffle, the schedule is as short as the algorithm's own.
Schedule reordered(const Algorithm& algorithm, const Shape& shape, int rank);

}  // namespace toccata
