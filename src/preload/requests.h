#pragma once

#include <mpi.h>

#include "mpi/libraries/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS  // with other MPIs, these calls are always native

#include "choices/form.h"
#include "mpi/call/program_request.h"
#include "mpi/call/repeats.h"
#include "mpi/call/signature.h"

namespace toccata {

// Whether it is one more call that goes directly to the MPI library.
inline bool is_one_more_request(Signature& signature, Form form) {
  signature.opens = form == Form::nonblocking;
  return signature.opens && Repeats::is_one_more(signature);
}

// Call this after MPI_Start or MPI_Startall of `count` requests, which returned `code`.
template <typename Handle>
int started(int code, int count, Handle&& handle) {
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i) code = ProgramRequest::started(handle(i));
  return code;
}

}  // namespace toccata

#endif
