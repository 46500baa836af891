// The forms for large counts (large.h), if the MPI library has them, too.

#include <mpi.h>

#if MPI_VERSION >= 4

#include "api/handles.h"
#include "mpi/call/call.h"
#include "mpi/call/next.h"
#include "mpi/call/repeats.h"
#include "mpi/call/serve.h"
#include "mpi/call/shortcuts.h"

#define TOCCATA_SET(kind, name) call->name = name;

#define TOCCATA_LARGE_REQUEST(name, persistent)                         \
  return toccata::guarded(comm, [&] {                                   \
    auto call = std::make_unique<toccata::calls::name##_c>();           \
    TOCCATA_ARGUMENTS_##name(TOCCATA_SET) return toccata::make_request( \
        std::move(call), comm, algorithm, persistent, request);         \
  });

#define TOCCATA_LARGE(Name, name, collective)                                                   \
  extern "C" int toccata_##name##_c(                                                            \
      TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER) MPI_Comm comm, const char* algorithm) { \
    const auto native = [&] {                                                                   \
      static const auto next = toccata::next_definition("MPI_" #Name "_c", &PMPI_##Name##_c);   \
      return next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);                             \
    };                                                                                          \
    const toccata::Said said =                                                                  \
        toccata::said::name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);               \
    if (algorithm == nullptr && toccata::Repeats::is_one_more(said)) return native();           \
    return toccata::guarded_collective(comm, [&] {                                              \
      return toccata::run(                                                                      \
          said, toccata::operations::name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm), \
          algorithm, native);                                                                   \
    });                                                                                         \
  }                                                                                             \
  extern "C" int toccata_i##name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER)          \
                                         MPI_Comm comm,                                         \
                                     const char* algorithm, toccata_request* request) {         \
    TOCCATA_LARGE_REQUEST(name, false)                                                          \
  }                                                                                             \
  extern "C" int toccata_##name##_init_c(                                                       \
      TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER) MPI_Comm comm, MPI_Info,                \
      const char* algorithm, toccata_request* request) {                                        \
    TOCCATA_LARGE_REQUEST(name, true)                                                           \
  }
TOCCATA_FUNCTIONS_OF_DATA(TOCCATA_LARGE)

#endif
