// The nonblocking and persistent collectives that an application calls, in C, and the functions
// that start and free persistent requests. For Open MPI only, because its waiting functions advance
// our requests (mpi/process/progress_hook.h).

#include "preload/requests.h"

#ifdef OPEN_MPI

#include "api/guard.h"
#include "mpi/call/next.h"
#include "mpi/call/wait_clock.h"
#include "toccata/toccata.h"

#define TOCCATA_INTERPOSED extern "C" TOCCATA_PUBLIC

#define TOCCATA_INTERPOSE_REQUEST(function, ours, name, collective_, kind_)                    \
  TOCCATA_INTERPOSED int function(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm,   \
                                  TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request);        \
  static auto next_##function() {                                                              \
    static const auto next = toccata::next_definition<decltype(function)>(#function, ours);    \
    return next;                                                                               \
  }                                                                                            \
  /* A separate function keeps other calls fast. */                                            \
  [[gnu::noinline]] static int look_at_##function(                                             \
      TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm,                               \
      TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request, const toccata::Said& said) {        \
    return toccata::guarded_collective(comm, [&] {                                             \
      return toccata::requests::name(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) said,          \
                                     toccata::Served::Kind::kind_, request, [&] {              \
                                       return next_##function()(                               \
                                           TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,    \
                                           TOCCATA_INFO_ARGUMENT_##kind_ request);             \
                                     });                                                       \
    });                                                                                        \
  }                                                                                            \
  int function(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm,                      \
               TOCCATA_INFO_PARAMETER_##kind_ MPI_Request* request) {                          \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);       \
    toccata::Said said = toccata::said::name(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm); \
    if (!concerns || comm == MPI_COMM_NULL ||                                                  \
        toccata::requests::is_one_more(said, toccata::Served::Kind::kind_))                    \
      return next_##function()(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,                \
                               TOCCATA_INFO_ARGUMENT_##kind_ request);                         \
    return look_at_##function(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm,                 \
                              TOCCATA_INFO_ARGUMENT_##kind_ request, said);                    \
  }

#define TOCCATA_INTERPOSE_NONBLOCKING(Name, name, collective)                                      \
  TOCCATA_INTERPOSE_REQUEST(MPI_I##name, reinterpret_cast<void*>(&PMPI_I##name), name, collective, \
                            nonblocking)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_NONBLOCKING)

// Open MPI 4.1 has the functions of MPI 4 under other names, in a separate header.
#if OMPI_MAJOR_VERSION >= 5
#define TOCCATA_INTERPOSE_PERSISTENT(Name, name, collective)                                       \
  TOCCATA_INTERPOSE_REQUEST(MPI_##Name##_init, reinterpret_cast<void*>(&PMPI_##Name##_init), name, \
                            collective, persistent)
#else
#define TOCCATA_INTERPOSE_PERSISTENT(Name, name, collective)                                   \
  TOCCATA_INTERPOSE_REQUEST(MPIX_##Name##_init, static_cast<void*>(nullptr), name, collective, \
                            persistent)
#endif
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_PERSISTENT)

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
