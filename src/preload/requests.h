#pragma once

#include <mpi.h>

#ifdef OPEN_MPI  // with other MPIs, these calls are always native

#include <memory>
#include <utility>

#include "mpi/call/call.h"
#include "mpi/call/said.h"
#include "mpi/call/served.h"

// Info arguments, which persistent functions have.
#define TOCCATA_INFO_PARAMETER_nonblocking
#define TOCCATA_INFO_PARAMETER_persistent MPI_Info info,
#define TOCCATA_INFO_ARGUMENT_nonblocking
#define TOCCATA_INFO_ARGUMENT_persistent info,

// Serves a call of MPI_I<name> or MPI_<name>_init, with the arguments in C.
namespace toccata::requests {

// Whether it is one more call that goes directly to the MPI library.
inline bool is_one_more(Said& said, Served::Kind kind) {
  said.opens = kind == Served::Kind::nonblocking;
  return said.opens && Repeats::is_one_more(said);
}

#define TOCCATA_REQUEST_SET(kind, name) call->name = name;
#define TOCCATA_REQUEST(Name, name, collective)                                             \
  template <typename Native>                                                                \
  int name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) const Said& said, Served::Kind kind, \
           MPI_Request* request, Native&& native) {                                         \
    return run_request(                                                                     \
        said, operations::name(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) said.comm), kind, \
        request,                                                                            \
        [&] {                                                                               \
          auto call = std::make_unique<calls::name>();                                      \
          TOCCATA_ARGUMENTS_##name(TOCCATA_REQUEST_SET) return call;                        \
        },                                                                                  \
        std::forward<Native>(native));                                                      \
  }
TOCCATA_FUNCTIONS(TOCCATA_REQUEST)
#undef TOCCATA_REQUEST
#undef TOCCATA_REQUEST_SET

// Call this after MPI_Start or MPI_Startall of `count` requests, which returned `code`.
template <typename Handle>
int started(int code, int count, Handle&& handle) {
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i) code = Served::started(handle(i));
  return code;
}

}  // namespace toccata::requests

#endif
