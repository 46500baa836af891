// The MPI functions that an application calls, in C. MPICH's Fortran interfaces call these too.

#include <mpi.h>

#include "api/guard.h"
#include "mpi/blocking.h"
#include "mpi/call.h"
#include "mpi/next.h"
#include "preload/begin.h"
#include "toccata/toccata.h"

#define TOCCATA_INTERPOSED extern "C" TOCCATA_PUBLIC

// Where nothing is asked for of a collective, a call goes straight on.
#define TOCCATA_INTERPOSE(function, pmpi, operation, name, collective_, parameter)               \
  TOCCATA_INTERPOSED int function(TOCCATA_ARGUMENTS_##name(parameter) MPI_Comm comm) {           \
    static const auto next = toccata::next_definition(#function, &pmpi);                         \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);         \
    const auto native = [&] { return next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm); };   \
    if (!concerns || comm == MPI_COMM_NULL) return native();                                     \
    return toccata::guarded(comm, [&] {                                                          \
      return toccata::run(                                                                       \
          toccata::operations::operation(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm), comm, \
          nullptr, native);                                                                      \
    });                                                                                          \
  }

#define TOCCATA_INTERPOSE_C(Name, name, collective) \
  TOCCATA_INTERPOSE(MPI_##Name, PMPI_##Name, name, name, collective, TOCCATA_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_C)

#if MPI_VERSION >= 4
#define TOCCATA_INTERPOSE_LARGE(Name, name, collective)                          \
  TOCCATA_INTERPOSE(MPI_##Name##_c, PMPI_##Name##_c, name##_c, name, collective, \
                    TOCCATA_LARGE_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_LARGE)
#endif

TOCCATA_INTERPOSED int MPI_Init(int* argc, char*** argv) {
  static const auto next = toccata::next_definition("MPI_Init", &PMPI_Init);
  const int code = next(argc, argv);
  if (code == MPI_SUCCESS) toccata::begin();
  return code;
}

TOCCATA_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static const auto next = toccata::next_definition("MPI_Init_thread", &PMPI_Init_thread);
  const int code = next(argc, argv, required, provided);
  if (code == MPI_SUCCESS) toccata::begin();
  return code;
}
