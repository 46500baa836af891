#pragma once

#include <mpi.h>

#include <string>

#include "selection/choice.h"

namespace toccata {

// Keys of an MPI_Info: "toccata_reorder", off, auto, straight, exchange or shuffle, and
// "toccata_pattern", ring and so on. What they do not say stays as it is in `wish`. ChoiceError if
// a value cannot be.
void read_info(MPI_Info info, ReorderWish& wish);
// Whether there is one of them.
bool has_keys_of_ours(MPI_Info info);

// A new communicator of all ranks, in which they are mapped by a pattern ("ring"), or by the
// traffic of an algorithm ("allgather/bruck"). Errors are MPI's. ChoiceError if there is no such
// pattern.
int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made);

// The same in an order that is known: players[i] becomes rank i.
int reordered(MPI_Comm comm, const std::vector<int>& players, MPI_Comm& made);

}  // namespace toccata
