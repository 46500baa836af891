#include "api/guard.h"

#include <cstdio>

#include "mpi/agreement/comms.h"
#include "mpi/process/process.h"

namespace toccata {

// The text may need memory that is not available.
int raise_error(MPI_Comm comm, int error_class, const char* text) noexcept {
  int code = error_class;
  try {
    if (Process* process = Process::current()) code = process->explain(error_class, text);
  } catch (const std::exception&) {
    std::fprintf(stderr, "toccata: %s\n", text);
  }
  call_errhandler(comm, code);
  return code;
}

}  // namespace toccata
