#pragma once

#include "topology/reorder/flows.h"

// Whether the module was built with Scotch.
bool has_scotch();

// The mapping of Scotch's recursive bipartitioning [pellegrini1996]. The guest graph is the flows,
// the host is the placement's cores. If Scotch gives one core to two ranks, the second rank gets
// the lowest free one. ChoiceError without Scotch, or if it fails.
toccata::Mapping map_by_scotch(const toccata::Placement& placement, const toccata::Flows& flows);
