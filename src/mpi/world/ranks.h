#pragma once

#include <mpi.h>

#include <vector>

namespace toccata {

// The ranks of a communicator in World::comm(); MPI_UNDEFINED for those of other worlds.
std::vector<int> ranks_in_world(MPI_Comm comm);

}  // namespace toccata
