#pragma once

#include <span>

#include "topology/reorder/flows.h"
#include "writing/algorithm.h"

namespace toccata {

// The traffic between pairs of ranks that execute these schedules, one per rank. Every block counts
// as one byte.
Flows flows_of(std::span<const Schedule> schedules);

// The same for an algorithm in a possible and complete shape.
Flows flows_of(const Algorithm& algorithm, const Shape& shape);

}  // namespace toccata
