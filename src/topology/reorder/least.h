#pragma once

#include "topology/reorder/flows.h"

namespace toccata {

// No mapping has fewer hop-bytes: the partners of a rank, ordered by bytes, are on the nearest
// cores, and every rank is on the core with the nearest cores. Tight for a torus on the same
// torus, for example. O(p^2); the uniform part of the traffic costs the same in every mapping.
double least_hop_bytes(const Placement& placement, const Flows& flows);

}  // namespace toccata
