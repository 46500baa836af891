#include "api/guard.h"

#include "mpi/comms.h"
#include "mpi/process.h"

namespace toccata {

int raise_error(MPI_Comm comm, int error_class, const std::string& text) {
  Process* process = Process::current();
  const int code = process != nullptr ? process->explain(error_class, text) : error_class;
  call_errhandler(comm, code);
  return code;
}

}  // namespace toccata
