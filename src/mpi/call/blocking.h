#pragma once

#include <mpi.h>

#include "mpi/call/signature.h"
#include "mpi/communicator/communicator.h"
#include "mpi/data/operation.h"

namespace toccata {

// Waits until the nonblocking calls that publish have ended: they come first on the board.
void end_open_publications(Communicator& communicator);

// Runs a valid call by one of our algorithms, to its end. Returns false if the MPI library must
// serve or judge the call; no message has been sent then. `code` has passed the error handler.
// `signature` is not null if later calls with the same arguments will be served in the same way.
bool run_ours(const Operation& call, const Seat& seat, Communicator& communicator, Server& server,
              int& code, const Signature* signature = nullptr);

// Call this after run_ours() with an error, in a call of MPI's own functions. Ends the job if this
// rank lacked memory and the other ranks do not learn that: they would wait for its messages.
void end_job_if_others_wait(const Operation& call, Communicator& communicator, Server& server,
                            int code);

// Runs a reduction like `call` once, to measure its time, and discards the result. `server` serves
// it, or the MPI library if `server` cannot. The operation must be predefined. All ranks call this.
TimedCall run_apart(const Operation& call, Communicator& communicator, Server& server);

}  // namespace toccata
