#pragma once

#include "topology/placement.h"

namespace toccata {

// The distance of two ranks of a placement: 0 in the same innermost object, and one more for each
// level further out at which they meet. If they share no object, one more; on a mesh, as many more
// as there are links between their cells. [mirsadeghi2016, section IV]
//
//   node:2 socket:2 core:2    cores 0 and 0: 0    0 and 1: 1    0 and 2: 2    0 and 4: 3
int distance(const Placement& placement, int a, int b);

}  // namespace toccata
