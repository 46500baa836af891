// The nonblocking and persistent collectives that an application calls, in C, and the functions
// that start and free persistent requests. For MPIs whose waiting functions can advance our
// requests (mpi/process/progress_hook.h).

#include "preload/requests.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include "api/guard.h"
#include "mpi/agreement/comms.h"
#include "mpi/call/next.h"
#include "mpi/call/wait_clock.h"
#include "preload/raw.h"
#include "toccata/toccata.h"

#define TOCCATA_INTERPOSED extern "C" TOCCATA_PUBLIC

using toccata::RawComm;

#define TOCCATA_INFO_PARAMETER_nonblocking
#define TOCCATA_INFO_PARAMETER_persistent toccata::Raw<MPI_Info> info,

// As in c.cpp, the symbol has the name of MPI's function. `form` is the name of the function that
// serves it, with _c for large counts.
#define TOCCATA_INTERPOSE_REQUEST(function, ours, form, name, collective_, kind_, raw)          \
  TOCCATA_INTERPOSED int toccata_##function(                                                    \
      TOCCATA_ARGUMENTS_##name(raw) RawComm comm,                                               \
      TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request) __asm__(#function);                  \
  static auto next_##function() {                                                               \
    static const auto next =                                                                    \
        toccata::next_definition<decltype(toccata_##function)>(#function, ours);                \
    return next;                                                                                \
  }                                                                                             \
  /* A separate function keeps other calls fast. */                                             \
  [[gnu::noinline]] static int look_at_##function(                                              \
      TOCCATA_ARGUMENTS_##name(raw) RawComm comm,                                               \
      TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request, const toccata::Said& said) {         \
    return toccata::guarded_collective(said.comm, [&] {                                         \
      return toccata::requests::form(TOCCATA_ARGUMENTS_##name(TOCCATA_COOKED_ARGUMENT) said,    \
                                     toccata::Form::kind_, request, [&] {                       \
                                       return next_##function()(                                \
                                           TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,     \
                                           TOCCATA_INFO_ARGUMENT_##kind_ request);              \
                                     });                                                        \
    });                                                                                         \
  }                                                                                             \
  int toccata_##function(TOCCATA_ARGUMENTS_##name(raw) RawComm comm,                            \
                         TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request) {                 \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);        \
    toccata::Said said =                                                                        \
        toccata::said::form(TOCCATA_ARGUMENTS_##name(TOCCATA_COOKED_ARGUMENT)(MPI_Comm)(comm)); \
    if (!concerns || !toccata::Served::are_possible() || said.comm == MPI_COMM_NULL ||          \
        toccata::requests::is_one_more(said, toccata::Form::kind_))                             \
      return next_##function()(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,                 \
                               TOCCATA_INFO_ARGUMENT_##kind_ request);                          \
    return look_at_##function(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,                  \
                              TOCCATA_INFO_ARGUMENT_##kind_ request, said);                     \
  }

#define TOCCATA_INTERPOSE_NONBLOCKING(Name, name, collective)                                \
  TOCCATA_INTERPOSE_REQUEST(MPI_I##name, reinterpret_cast<void*>(&PMPI_I##name), name, name, \
                            collective, nonblocking, TOCCATA_RAW_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_NONBLOCKING)

// Open MPI 4.1 has the functions of MPI 4 under other names, in a separate header.
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define TOCCATA_INTERPOSE_PERSISTENT(Name, name, collective)                                       \
  TOCCATA_INTERPOSE_REQUEST(MPI_##Name##_init, reinterpret_cast<void*>(&PMPI_##Name##_init), name, \
                            name, collective, persistent, TOCCATA_RAW_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_PERSISTENT)
#elif defined(OPEN_MPI)
#define TOCCATA_INTERPOSE_PERSISTENT(Name, name, collective)                             \
  TOCCATA_INTERPOSE_REQUEST(MPIX_##Name##_init, static_cast<void*>(nullptr), name, name, \
                            collective, persistent, TOCCATA_RAW_PARAMETER)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_PERSISTENT)
#endif

#if MPI_VERSION >= 4
#define TOCCATA_INTERPOSE_LARGE(Name, name, collective)                                            \
  TOCCATA_INTERPOSE_REQUEST(MPI_I##name##_c, reinterpret_cast<void*>(&PMPI_I##name##_c), name##_c, \
                            name, collective, nonblocking, TOCCATA_RAW_LARGE_PARAMETER)            \
  TOCCATA_INTERPOSE_REQUEST(MPI_##Name##_init_c, reinterpret_cast<void*>(&PMPI_##Name##_init_c),   \
                            name##_c, name, collective, persistent, TOCCATA_RAW_LARGE_PARAMETER)
TOCCATA_FUNCTIONS_OF_DATA(TOCCATA_INTERPOSE_LARGE)
#endif

TOCCATA_INTERPOSED int MPI_Start(MPI_Request* request) {
  static const auto next = toccata::next_definition("MPI_Start", &PMPI_Start);
  const int code = next(request);
  if (!toccata::Served::are_persistent()) return code;
  return toccata::requests::started(code, 1, [&](int) { return *request; });
}

TOCCATA_INTERPOSED int MPI_Startall(int count, MPI_Request requests[]) {
  static const auto next = toccata::next_definition("MPI_Startall", &PMPI_Startall);
  const int code = next(count, requests);
  if (!toccata::Served::are_persistent()) return code;
  return toccata::requests::started(code, count, [&](int i) { return requests[i]; });
}

TOCCATA_INTERPOSED int MPI_Request_free(MPI_Request* request) {
  static const auto next = toccata::next_definition("MPI_Request_free", &PMPI_Request_free);
  if (toccata::Served::are_persistent() && request != nullptr) toccata::Served::freed(*request);
  return next(request);
}

#ifndef OPEN_MPI
// MPI does not allow this for collectives. Without this function, it would cancel the receive that
// stands for the call (mpi/call/served.h). MPICH calls this error handler, too.
TOCCATA_INTERPOSED int MPI_Cancel(MPI_Request* request) {
  static const auto next = toccata::next_definition("MPI_Cancel", &PMPI_Cancel);
  if (request == nullptr || !toccata::Served::is_open(*request)) return next(request);
  toccata::call_errhandler(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  return MPI_ERR_REQUEST;
}
#endif

// These functions measure the overlap for the report. Without a report, they only pass on the call.
#define TOCCATA_INTERPOSE_WAIT(function, parameters, arguments)                 \
  TOCCATA_INTERPOSED int function parameters {                                  \
    static const auto next = toccata::next_definition(#function, &P##function); \
    static const bool reports = toccata::Settings::get().reporting();           \
    if (!reports) return next arguments;                                        \
    const toccata::WaitClock::Span span;                                        \
    return next arguments;                                                      \
  }

TOCCATA_INTERPOSE_WAIT(MPI_Wait, (MPI_Request * request, MPI_Status* status), (request, status))
TOCCATA_INTERPOSE_WAIT(MPI_Test, (MPI_Request * request, int* flag, MPI_Status* status),
                       (request, flag, status))
TOCCATA_INTERPOSE_WAIT(MPI_Waitall, (int count, MPI_Request requests[], MPI_Status* statuses),
                       (count, requests, statuses))
TOCCATA_INTERPOSE_WAIT(MPI_Testall,
                       (int count, MPI_Request requests[], int* flag, MPI_Status* statuses),
                       (count, requests, flag, statuses))
TOCCATA_INTERPOSE_WAIT(MPI_Waitany,
                       (int count, MPI_Request requests[], int* index, MPI_Status* status),
                       (count, requests, index, status))
TOCCATA_INTERPOSE_WAIT(MPI_Testany,
                       (int count, MPI_Request requests[], int* index, int* flag,
                        MPI_Status* status),
                       (count, requests, index, flag, status))
TOCCATA_INTERPOSE_WAIT(MPI_Waitsome,
                       (int count, MPI_Request requests[], int* ended, int indices[],
                        MPI_Status* statuses),
                       (count, requests, ended, indices, statuses))
TOCCATA_INTERPOSE_WAIT(MPI_Testsome,
                       (int count, MPI_Request requests[], int* ended, int indices[],
                        MPI_Status* statuses),
                       (count, requests, ended, indices, statuses))

#endif
