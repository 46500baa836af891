#pragma once

#include "mpi/libraries/facts.h"

namespace toccata {

inline constexpr LibraryFacts our_mpi{.family = "simgrid"};

}  // namespace toccata
