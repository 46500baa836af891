#pragma once

#include <mpi.h>

#include "mpi/communicator.h"
#include "mpi/operation.h"

namespace toccata {

// Who serves a call. ChoiceError as Communicator::service.
inline Communicator::Used& service_for(const Operation& call, Communicator& communicator,
                                       const char* algorithm) {
  Communicator::Used& used = communicator.service(call.collective, algorithm);
  const DatatypeTable& datatypes = communicator.process().datatypes();
  if (used.is_native() || call.allows(used.service->choice.algorithm->ordered, datatypes))
    return used;
  return communicator.instead_of(used, call.allows(true, datatypes));
}

// Runs a call by one of our algorithms, to its end. False where the MPI library has to serve or to
// judge it; then nothing has been sent. `code` has been through the error handler.
bool run_ours(const Operation& call, Communicator& communicator, Communicator::Used& used,
              int& code);

// Runs a collective to its end, by the algorithm of that name, or what the environment asks where
// it is null; or calls `native`, which is the MPI library's own with the same arguments. Returns an
// MPI error code, after the communicator's error handler has had it. ChoiceError for an algorithm
// that is not there or cannot run.
template <typename Native>
int run(const Operation& call, MPI_Comm comm, const char* algorithm, Native&& native) {
  Communicator* const communicator = Communicator::of(comm);
  if (communicator == nullptr || communicator->is_inter()) return native();
  Communicator::Used& used = service_for(call, *communicator, algorithm);
  const bool reporting = Settings::get().reporting() && communicator->rank() == 0;
  const double started = reporting ? PMPI_Wtime() : 0;
  int code = MPI_SUCCESS;
  const bool served = !used.is_native() && run_ours(call, *communicator, used, code);
  const Service* service = used.service;
  if (!served) {
    code = native();
    if (reporting && !service->choice.native())
      service = &communicator->native_instead_of(*service);
  }
  if (reporting && code == MPI_SUCCESS)
    communicator->process().count(*service, call.bytes(communicator->rank(), communicator->size()),
                                  started);
  return code;
}

}  // namespace toccata
