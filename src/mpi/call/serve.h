#pragma once

#include <mpi.h>

#include "choices/form.h"
#include "mpi/call/call.h"
#include "mpi/call/function_ref.h"
#include "mpi/call/signature.h"
#include "mpi/data/operation.h"

namespace toccata {

// A call of a collective by the program. serve() adds the neighbours to the operation.
struct ProgramCall {
  const Signature& signature;
  Operation operation;
  Form form;
  // Calls the MPI library's own function with the same arguments; returns an MPI error code.
  FunctionRef<int()> native;
  // The algorithm by name, with parameters. If null, the library chooses. Only for blocking calls.
  const char* algorithm = nullptr;
  // Makes the same call of MPI; and where the program's request belongs. Only for nonblocking and
  // persistent calls.
  Call::Start start = nullptr;
  MPI_Request* request = nullptr;
};

// Serves a call: the road that all calls take (docs/design/0024-one-road.md). A blocking call is
// run to its end. Returns an MPI error code, after the communicator's error handler has received
// it. Throws ChoiceError if the named algorithm does not exist or cannot run.
int serve(ProgramCall&& call);

}  // namespace toccata
