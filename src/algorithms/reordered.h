#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "collectives/reordering.h"

namespace toccata {

// Why an algorithm cannot keep the order of buffers that way, as the end of a sentence; empty if it
// can.
std::string why_impossible(const Algorithm& algorithm, Order order);

// Whether a reduction's operands are combined in the order of the ranks all the same: where it is
// done at all, by exchanging the contributions.
bool keeps_order_of_ranks(const Algorithm& algorithm, Order order);

// What is known of a communicator, complete, in which our rank players[i] plays rank i of the
// algorithm. Its parameters may be given.
Shape reordered(const Algorithm& algorithm, Shape known, std::vector<int> players, Order order);

// One rank's schedule in such a shape: the schedule of the rank that it plays, with peers moved,
// and, as the order says, blocks laid where they belong, contributions exchanged before and results
// after, or copies before and after. Except for straight, and for the copies of a shuffle, it is as
// short as the algorithm's own.
Schedule reordered(const Algorithm& algorithm, const Shape& shape, int rank);

}  // namespace toccata
