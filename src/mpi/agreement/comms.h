#pragma once

#include <mpi.h>

namespace toccata {

// The number of ranks in the arrays of this communicator's collectives.
int peers_in(MPI_Comm comm);

// A communicator without the attributes and topology of `comm`, for calls that the MPI library
// serves. Collective; errors are MPI's.
int make_bare(MPI_Comm comm, MPI_Comm& made);

// Gives `code` to the communicator's error handler. MPI_COMM_WORLD stands for no communicator.
void call_errhandler(MPI_Comm comm, int code);

}  // namespace toccata
