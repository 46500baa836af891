#include "api/guard.h"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "choices/choice.h"
#include "mpi/agreement/comms.h"
#include "mpi/process/ending.h"
#include "mpi/process/process.h"

namespace toccata {

// The text may need memory that is not available.
int raise_error(MPI_Comm comm, int error_class, const char* text) {
  int code = error_class;
  try {
    if (Process* process = Process::current()) code = process->explain(error_class, text);
  } catch (const std::exception&) {
    std::fprintf(stderr, "toccata: %s\n", text);
  }
  call_errhandler(comm, code);
  return code;
}

namespace {

enum class Alone : std::uint8_t { fails, ends_the_job };  // a rank without memory

// The error code for an exception of ours, which the error handler has received.
int raise_caught(MPI_Comm comm, Alone alone) {
  try {
    throw;
  } catch (const ChoiceError& error) {
    return raise_error(comm, MPI_ERR_ARG, error.what());
  } catch (const std::bad_alloc&) {
    if (alone == Alone::ends_the_job && has_other_ranks(comm)) end_job("out of memory");
    return raise_error(comm, MPI_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    return raise_error(comm, MPI_ERR_INTERN, error.what());
  }
}

int run_guarded(MPI_Comm comm, FunctionRef<int()> body, Alone alone) {
  if (comm == MPI_COMM_NULL)  // MPI libraries need not report it
    return raise_error(MPI_COMM_WORLD, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  const int depth = InHandlers::depth();
  try {
    return body();
  } catch (...) {
    if (InHandlers::have_thrown(depth)) throw;
    return raise_caught(comm, alone);
  }
}

}  // namespace

int guarded(MPI_Comm comm, FunctionRef<int()> body) {
  return run_guarded(comm, body, Alone::fails);
}

int guarded_collective(MPI_Comm comm, FunctionRef<int()> body) {
  return run_guarded(comm, body, Alone::ends_the_job);
}

int guarded_serve(ProgramCall&& call) {
  return guarded_collective(call.signature.comm, [&] { return serve(std::move(call)); });
}

}  // namespace toccata
