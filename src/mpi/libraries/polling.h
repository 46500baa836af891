#pragma once

#include <mpi.h>

#include "mpi/libraries/library.h"

namespace toccata {

// Tests of requests. MPICH calls us in the middle of its own progress, where a test that makes
// progress would run other hooks again, which may not expect that. So only its query is used there.
struct Polling {
  static inline int (*is_complete)(MPI_Request) = nullptr;
  static inline bool inside = false;  // MPICH is calling us; by one thread at a time

  static int test(MPI_Request& request, bool& ended) {
    if (inside && request != MPI_REQUEST_NULL && is_complete(request) == 0) {
      ended = false;
      return MPI_SUCCESS;
    }
    int flag = request == MPI_REQUEST_NULL ? 1 : 0;  // the simulator does not set it
    const int code = PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    ended = flag != 0 || code != MPI_SUCCESS;
    return code;
  }
};

}  // namespace toccata
