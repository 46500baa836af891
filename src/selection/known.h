#pragma once

#include <memory>
#include <string_view>

#include "collectives/shape.h"
#include "topology/placement.h"

namespace toccata {

// The known properties of a communicator with these ranks: its placement, and its mesh if the
// machine has one and each of its cells has the same number of ranks.
Shape known(Placement placement);

// The same by name: "leaf:2 node:8 socket:2 core:8" or a file, "block-bunch" (see
// topology/placements.h). TopologyError if one is invalid.
Shape known(int p, std::string_view machine, std::string_view placement = "sequential");

}  // namespace toccata
