#pragma once

#include "topology/reorder/flows.h"

// Whether the module was built with Scotch.
bool has_scotch();

// The mapping of Scotch's recursive bipartitioning [pellegrini1996], with the flows as
// the guest graph and the placement's cores as the host. Where it gives a core to two ranks, the
// second one gets the lowest that is left. ChoiceError without Scotch, or if it fails.
toccata::Mapping map_by_scotch(const toccata::Placement& placement, const toccata::Flows& flows);
