#pragma once

#include "topology/reorder/flows.h"

namespace toccata {

// A mapping by repeated halving [pellegrini1996]. The cores of an object are divided into two
// groups of inner objects; on a mesh, a box of cells is cut across its longest side. The ranks are
// divided into two groups of the same sizes, with little traffic between them (bisect). On a mesh,
// ranks are also pulled to the partners outside of their group. Different seeds find different
// mappings. O(halvings on the way to a core · (p + flows) · log p).
Mapping map_by_halving(const Placement& placement, const Flows& flows, unsigned seed);

}  // namespace toccata
