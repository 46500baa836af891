#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "mpi/call/call.h"
#include "mpi/call/function_ref.h"
#include "mpi/call/said.h"
#include "mpi/communicator/communicator.h"
#include "mpi/data/operation.h"
#include "selection/form.h"

namespace toccata {

// A call of a collective by the program.
struct ProgramCall {
  const Said& said;
  Operation operation;
  Form form;
  // Calls the MPI library's own function with the same arguments; returns an MPI error code.
  FunctionRef<int()> native;
  // The algorithm by name, with parameters. If null, the library chooses. Only for blocking calls.
  const char* algorithm = nullptr;
  // The call with its arguments, which outlives this one; and where the program's request belongs.
  // Only for nonblocking and persistent calls.
  FunctionRef<std::unique_ptr<Call>()> kept = {};
  MPI_Request* request = nullptr;
};

// Serves a call: the road that all calls take (docs/design/0024-one-road.md). A blocking call is
// run to its end. Returns an MPI error code, after the communicator's error handler has received
// it. Throws ChoiceError if the named algorithm does not exist or cannot run.
int serve(ProgramCall call);

// The same for a blocking call.
inline int run(const Said& said, Operation call, const char* algorithm, FunctionRef<int()> native) {
  return serve({.said = said,
                .operation = std::move(call),
                .form = Form::blocking,
                .native = native,
                .algorithm = algorithm});
}

// The same for a nonblocking or persistent call.
inline int run_request(const Said& said, Operation call, Form form, MPI_Request* request,
                       FunctionRef<std::unique_ptr<Call>()> kept, FunctionRef<int()> native) {
  return serve({.said = said,
                .operation = std::move(call),
                .form = form,
                .native = native,
                .kept = kept,
                .request = request});
}

// The server of a call that has no trials of its own, for a toccata_request. Does not wait for
// other ranks, unless the requested algorithm depends on where they run. ChoiceError as in
// Communicator::server.
Server& server_for(const Operation& call, Communicator& communicator, const char* algorithm);

// The server of a call: `server`, or another one if the operation of a reduction requires it.
Server& able_to_serve(const Operation& call, Communicator& communicator, Server& server);

// Whether a decision for blocking calls uses the node's memory, or follows the rule for networks.
// In memory, blocking calls take so little time that such a decision does not suit requests; the
// rule knows another price for them.
bool suits_blocking_calls_only(const Server& server);

}  // namespace toccata
