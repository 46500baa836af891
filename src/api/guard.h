#pragma once

#include <mpi.h>

#include "mpi/call/function_ref.h"
#include "mpi/call/serve.h"

namespace toccata {

// Raises an error of that class on the communicator, with a text for MPI_Error_string. If this MPI
// cannot keep the text, it is printed to standard error.
int raise_error(MPI_Comm comm, int error_class, const char* text);

// Runs `body`, which returns an MPI error code, so that no exception of ours crosses the C
// interface. Those of the program's error handlers do.
int guarded(MPI_Comm comm, FunctionRef<int()> body);

// The same for a collective. If memory runs out during the rounds of a schedule, these rounds
// inform the other ranks. Outside of these rounds, the other ranks would wait for this one, so the
// job ends.
int guarded_collective(MPI_Comm comm, FunctionRef<int()> body);

// serve() of mpi/call/serve.h, in the same way.
int guarded_serve(ProgramCall&& call);

}  // namespace toccata
