#pragma once

#include <mpi.h>

#include <string>

#include "selection/choice.h"

namespace toccata {

// A new communicator of all ranks, in which they are mapped by a pattern ("ring"), or by the
// traffic of an algorithm ("allgather/bruck"). Errors are MPI's. ChoiceError if there is no such
// pattern.
int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made);

// The same in an order that is known: players[i] becomes rank i.
int reordered(MPI_Comm comm, const std::vector<int>& players, MPI_Comm& made);

}  // namespace toccata
