#pragma once

#include "collectives/parameters.h"

namespace toccata {

// What an algorithm may decide by: that which every rank of the communicator knows. Never a rank's
// own counts, datatype or clock, or ranks would choose differently.
struct Shape {
  int p = 1;  // ranks
  Parameters parameters = {};
};

}  // namespace toccata
