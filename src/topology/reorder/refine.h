#pragma once

#include "topology/reorder/flows.h"

namespace toccata {

// Improves a mapping by exchanges: two ranks swap their cores. A rank looks for cores near its
// partners: in the outermost object that contains the partner but not the rank, and on a mesh also
// in the cells around the partner's. First come exchanges that save hop-bytes. Then a simulated
// annealing leaves the local optimum; its result counts only if it is better. Ends after that time
// at the latest.
Mapping refine(const Placement& placement, const Flows& flows, Mapping mapping, double seconds);

}  // namespace toccata
