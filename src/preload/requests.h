#pragma once

#include <mpi.h>

#include "mpi/execution/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS  // with other MPIs, these calls are always native

#include <memory>
#include <utility>

#include "mpi/call/call.h"
#include "mpi/call/repeats.h"
#include "mpi/call/said.h"
#include "mpi/call/serve.h"
#include "mpi/call/served.h"

// The info argument, which persistent functions have.
#define TOCCATA_INFO_ARGUMENT_nonblocking
#define TOCCATA_INFO_ARGUMENT_persistent info,

// Serves a call of MPI_I<name> or MPI_<name>_init, with the arguments in C.
namespace toccata::requests {

// Whether it is one more call that goes directly to the MPI library.
inline bool is_one_more(Said& said, Form kind) {
  said.opens = kind == Form::nonblocking;
  return said.opens && Repeats::is_one_more(said);
}

// `form` is the name of the function, with _c for large counts.
#define TOCCATA_REQUEST_SET(kind, name) call->name = name;
#define TOCCATA_REQUEST_OF(name, form, parameter)                                                 \
  template <typename Native>                                                                      \
  int form(TOCCATA_ARGUMENTS_##name(parameter) const Said& said, Form kind, MPI_Request* request, \
           Native&& native) {                                                                     \
    const auto kept = [&]() -> std::unique_ptr<Call> {                                            \
      auto call = std::make_unique<calls::form>();                                                \
      TOCCATA_ARGUMENTS_##name(TOCCATA_REQUEST_SET) return call;                                  \
    };                                                                                            \
    return run_request(said,                                                                      \
                       operations::form(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) said.comm),    \
                       kind, request, kept, native);                                              \
  }
#define TOCCATA_REQUEST(Name, name, collective) TOCCATA_REQUEST_OF(name, name, TOCCATA_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_REQUEST)
#if MPI_VERSION >= 4
#define TOCCATA_LARGE_REQUEST(Name, name, collective) \
  TOCCATA_REQUEST_OF(name, name##_c, TOCCATA_LARGE_PARAMETER)
TOCCATA_FUNCTIONS_OF_DATA(TOCCATA_LARGE_REQUEST)
#undef TOCCATA_LARGE_REQUEST
#endif
#undef TOCCATA_REQUEST
#undef TOCCATA_REQUEST_OF
#undef TOCCATA_REQUEST_SET

// Call this after MPI_Start or MPI_Startall of `count` requests, which returned `code`.
template <typename Handle>
int started(int code, int count, Handle&& handle) {
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i) code = Served::started(handle(i));
  return code;
}

}  // namespace toccata::requests

#endif
