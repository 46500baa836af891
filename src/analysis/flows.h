#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "topology/reorder/flows.h"

namespace toccata {

// The traffic between pairs of ranks by these schedules, one for every rank; a block is a byte.
Flows flows_of(std::span<const Schedule> schedules);

// The same of an algorithm in a possible and complete shape.
Flows flows_of(const Algorithm& algorithm, const Shape& shape);

}  // namespace toccata
