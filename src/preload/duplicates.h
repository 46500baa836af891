#pragma once

#include <mpi.h>

#include "mpi/call/next_definition.h"
#include "mpi/communicator/communicator.h"

namespace toccata {

// Passes on MPI_Comm_idup or MPI_Comm_idup_with_info, in the interface with that name. From then
// on, our exchanges on this communicator are blocking (Exchange).
template <typename Result, typename Comm, typename... Arguments>
Result pass_on_idup(const char* name, MPI_Comm comm, Comm handle, Arguments... arguments) {
  if (comm != MPI_COMM_NULL && Settings::get().do_anything())
    if (Communicator* const communicator = Communicator::of(comm))
      communicator->expect_duplicates();
  return next_definition<Result(Comm, Arguments...)>(name)(handle, arguments...);
}

}  // namespace toccata
