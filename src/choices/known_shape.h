#pragma once

#include <memory>
#include <string_view>

#include "collectives/shape.h"
#include "topology/placement.h"

namespace toccata {

// The known properties of a communicator with these ranks: its placement, and the mesh of the
// machine. Without the mesh if its cells have different numbers of ranks.
Shape known(Placement placement);

// The same by name: "leaf:2 node:8 socket:2 core:8" or a file, "block-bunch" (see
// topology/placements.h). TopologyError if one is invalid.
Shape known(int p, std::string_view machine, std::string_view placement = "sequential");

}  // namespace toccata
