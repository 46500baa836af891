#pragma once

#include <mpi.h>

#include "mpi/execution/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS  // with other MPIs, these calls are always native

#include "mpi/call/call.h"
#include "mpi/call/function_ref.h"
#include "mpi/call/repeats.h"
#include "mpi/call/said.h"
#include "mpi/call/served.h"

namespace toccata {

// Serves a nonblocking or persistent call, as run_request() in mpi/call/serve.h. No exception
// leaves this function.
int serve_request(const Said& said, const Operation& call, Call::Start start, Form kind,
                  MPI_Request* request, FunctionRef<int()> native) noexcept;

// Whether it is one more call that goes directly to the MPI library.
inline bool is_one_more_request(Said& said, Form kind) {
  said.opens = kind == Form::nonblocking;
  return said.opens && Repeats::is_one_more(said);
}

// Call this after MPI_Start or MPI_Startall of `count` requests, which returned `code`.
template <typename Handle>
int started(int code, int count, Handle&& handle) {
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i) code = Served::started(handle(i));
  return code;
}

}  // namespace toccata

#endif
