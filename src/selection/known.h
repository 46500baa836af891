#pragma once

#include <memory>
#include <string_view>

#include "collectives/shape.h"
#include "topology/placement.h"

namespace toccata {

// What is known of a communicator whose ranks run there: its placement, and the mesh they are on if
// the machine has one and each of its cells as many ranks.
Shape known(Placement placement);

// The same by name: "leaf:2 node:8 socket:2 core:8" or a file, "block-bunch" (see
// topology/placements.h). TopologyError if it cannot be.
Shape known(int p, std::string_view machine, std::string_view placement = "sequential");

}  // namespace toccata
