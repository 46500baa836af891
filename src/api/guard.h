#pragma once

#include <mpi.h>

#include <exception>
#include <new>

#include "choices/choice.h"
#include "mpi/process/ending.h"

namespace toccata {

// Raises an error of that class on the communicator, with a text for MPI_Error_string. If this MPI
// cannot keep the text, it is printed to standard error.
int raise_error(MPI_Comm comm, int error_class, const char* text) noexcept;

// Runs `body`, which returns an MPI error code, so that no exception crosses the C interface.
template <typename Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  try {
    if (comm == MPI_COMM_NULL)  // Open MPI crashes with it
      return raise_error(MPI_COMM_WORLD, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
    return body();
  } catch (const ChoiceError& error) {
    return raise_error(comm, MPI_ERR_ARG, error.what());
  } catch (const std::bad_alloc&) {
    return raise_error(comm, MPI_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    return raise_error(comm, MPI_ERR_INTERN, error.what());
  }
}

// The same for a collective. If memory runs out during the rounds of a schedule, these rounds
// inform the other ranks. Outside of these rounds, the other ranks would wait for this one, so the
// job ends.
template <typename Body>
int guarded_collective(MPI_Comm comm, Body&& body) noexcept {
  return guarded(comm, [&] {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      if (has_other_ranks(comm)) end_job("out of memory");
      throw;
    }
  });
}

}  // namespace toccata
