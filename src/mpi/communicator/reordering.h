#pragma once

#include <mpi.h>

#include <string>

#include "choices/choice.h"

namespace toccata {

// A new communicator of all ranks, mapped by a pattern ("ring"), or by the traffic of an algorithm
// ("allgather/bruck"). Errors are MPI's. ChoiceError if the pattern does not exist.
int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made);

// The same with a given order: players[i] becomes rank i.
int reordered(MPI_Comm comm, const std::vector<int>& players, MPI_Comm& made);

}  // namespace toccata
