// The collectives of toccata.h: each function of mpi/call/functions.h, blocking, nonblocking and
// persistent.

#include "api/handles.h"
#include "mpi/call/call.h"
#include "mpi/call/next.h"
#include "mpi/call/repeats.h"
#include "mpi/call/serve.h"
#include "mpi/call/shortcuts.h"

// The next definition: the MPI library's own, or that of another preloaded tool.
#define TOCCATA_NATIVE(Name, name)                                                 \
  [&] {                                                                            \
    static const auto next = toccata::next_definition("MPI_" #Name, &PMPI_##Name); \
    return next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);                  \
  }

#define TOCCATA_BLOCKING(Name, name, collective)                                             \
  extern "C" int toccata_##name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm,   \
                                const char* algorithm) {                                     \
    const auto native = TOCCATA_NATIVE(Name, name);                                          \
    const toccata::Said said =                                                               \
        toccata::said::name(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm);                \
    if (algorithm == nullptr && toccata::Repeats::is_one_more(said)) return native();        \
    if (int code; algorithm == nullptr && toccata::Shortcuts::take(said, code)) return code; \
    return toccata::guarded_collective(comm, [&] {                                           \
      return toccata::run(                                                                   \
          said, toccata::operations::name(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm),  \
          algorithm, native);                                                                \
    });                                                                                      \
  }
TOCCATA_FUNCTIONS(TOCCATA_BLOCKING)

#define TOCCATA_SET(kind, name) call->name = name;

#define TOCCATA_NONBLOCKING(Name, name, collective)                                               \
  extern "C" int toccata_i##name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm,       \
                                 const char* algorithm, toccata_request* request) {               \
    return toccata::guarded_collective(comm, [&] {                                                \
      auto call = std::make_unique<toccata::calls::name>();                                       \
      TOCCATA_ARGUMENTS_##name(TOCCATA_SET) return toccata::make_request(                         \
          std::move(call), comm, algorithm, false, request);                                      \
    });                                                                                           \
  }                                                                                               \
  extern "C" int toccata_##name##_init(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm, \
                                       MPI_Info, const char* algorithm,                           \
                                       toccata_request* request) {                                \
    return toccata::guarded(comm, [&] {                                                           \
      auto call = std::make_unique<toccata::calls::name>();                                       \
      TOCCATA_ARGUMENTS_##name(TOCCATA_SET) return toccata::make_request(                         \
          std::move(call), comm, algorithm, true, request);                                       \
    });                                                                                           \
  }
TOCCATA_FUNCTIONS(TOCCATA_NONBLOCKING)
