// The MPI functions that an application calls, in C. MPICH's Fortran interfaces call these too.

#include <mpi.h>

#include "api/guard.h"
#include "mpi/call/call.h"
#include "mpi/call/next.h"
#include "mpi/call/repeats.h"
#include "mpi/call/serve.h"
#include "mpi/call/shortcuts.h"
#include "preload/begin.h"
#include "preload/raw.h"
#include "toccata/toccata.h"

#define TOCCATA_INTERPOSED extern "C" TOCCATA_PUBLIC

using toccata::RawComm;

// If a collective is left to the MPI library, the call goes there directly. The symbol has the name
// of MPI's function; our function has another name, because its parameters are declared
// differently.
#define TOCCATA_INTERPOSE(function, pmpi, operation, name, collective_, raw)                  \
  TOCCATA_INTERPOSED int toccata_##function(TOCCATA_ARGUMENTS_##name(raw)                     \
                                                RawComm comm) __asm__(#function);             \
  static auto next_##function() {                                                             \
    static const auto next = toccata::next_definition<decltype(toccata_##function)>(          \
        #function, reinterpret_cast<void*>(&pmpi));                                           \
    return next;                                                                              \
  }                                                                                           \
  /* A separate function keeps other calls fast. */                                           \
  [[gnu::noinline]] static int look_at_##function(TOCCATA_ARGUMENTS_##name(raw) RawComm comm, \
                                                  const toccata::Said& said) {                \
    const auto native = [&] {                                                                 \
      return next_##function()(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);              \
    };                                                                                        \
    if (said.comm == MPI_COMM_NULL) return native();                                          \
    return toccata::guarded_collective(said.comm, [&] {                                       \
      return toccata::run(said,                                                               \
                          toccata::operations::operation(                                     \
                              TOCCATA_ARGUMENTS_##name(TOCCATA_COOKED_ARGUMENT) said.comm),   \
                          nullptr, native);                                                   \
    });                                                                                       \
  }                                                                                           \
  int toccata_##function(TOCCATA_ARGUMENTS_##name(raw) RawComm comm) {                        \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);      \
    const toccata::Said said = toccata::said::operation(                                      \
        TOCCATA_ARGUMENTS_##name(TOCCATA_COOKED_ARGUMENT)(MPI_Comm)(comm));                   \
    if (!concerns || toccata::Repeats::is_one_more(said))                                     \
      return next_##function()(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);              \
    if (int code; toccata::Shortcuts::take(said, code)) return code;                          \
    return look_at_##function(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm, said);         \
  }

#define TOCCATA_INTERPOSE_C(Name, name, collective) \
  TOCCATA_INTERPOSE(MPI_##Name, PMPI_##Name, name, name, collective, TOCCATA_RAW_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_C)

#if MPI_VERSION >= 4
#define TOCCATA_INTERPOSE_LARGE(Name, name, collective)                          \
  TOCCATA_INTERPOSE(MPI_##Name##_c, PMPI_##Name##_c, name##_c, name, collective, \
                    TOCCATA_RAW_LARGE_PARAMETER)
TOCCATA_FUNCTIONS_OF_DATA(TOCCATA_INTERPOSE_LARGE)
#endif

TOCCATA_INTERPOSED int MPI_Init(int* argc, char*** argv) {
  static const auto next = toccata::next_definition("MPI_Init", &PMPI_Init);
  toccata::enter();
  const int code = next(argc, argv);
  if (code == MPI_SUCCESS) toccata::begin();
  return code;
}

TOCCATA_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static const auto next = toccata::next_definition("MPI_Init_thread", &PMPI_Init_thread);
  toccata::enter();
  const int code = next(argc, argv, required, provided);
  if (code == MPI_SUCCESS) toccata::begin();
  return code;
}

#ifndef OPEN_MPI
// MPICH waits here until our hook has ended, before it deletes the attribute with which requests
// end. A request that another rank never starts would keep the hook.
TOCCATA_INTERPOSED int MPI_Finalize() {
  static const auto next = toccata::next_definition("MPI_Finalize", &PMPI_Finalize);
  toccata::finalize();
  return next();
}
#endif
