#pragma once

#include <mpi.h>

#include "mpi/bucket.h"
#include "mpi/communicator.h"
#include "mpi/operation.h"
#include "mpi/repeats.h"

namespace toccata {

// Who serves a call for which that is meant: a reduction's operation may want another.
inline Communicator::Used& able_to_serve(const Operation& call, Communicator& communicator,
                                         Communicator::Used& used) {
  const DatatypeTable& datatypes = communicator.process().datatypes();
  if (used.is_native() || call.allows(used.service->choice.ordered(), datatypes)) return used;
  return communicator.instead_of(used, call.allows(true, datatypes));
}

// Who serves a call, without waiting for other ranks unless an algorithm is asked for that goes by
// where they run. ChoiceError as Communicator::service.
inline Communicator::Used& service_for(const Operation& call, Communicator& communicator,
                                       const char* algorithm) {
  Bucket* const bucket = algorithm == nullptr ? communicator.decided_for(call) : nullptr;
  Communicator::Used& used =
      bucket != nullptr ? bucket->stands() : communicator.service(call.collective, algorithm);
  return able_to_serve(call, communicator, used);
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
int run(const Said& said, Operation call, const char* algorithm, Native&& native) {
  Communicator* const communicator = Communicator::of(said.comm);
  if (communicator == nullptr || communicator->is_inter()) return native();
  if (call.collective.among_neighbors) call.neighborhood = communicator->neighbors();
  const bool reporting = Settings::get().reporting() && communicator->rank() == 0;
  Bucket* bucket = nullptr;
  if (algorithm == nullptr) {
    Choosing::Calls& calls = communicator->calls_such_as(call);
    if (!reporting && calls.left == 0 && calls.bucket != nullptr) calls.left = calls.bucket->lend();
    if (calls.left == 0) {
      bucket = calls.bucket;
    } else if (--calls.left; !reporting) {
      Repeats::remember(said, calls, communicator->process().datatypes());
      return native();
    }
  }
  const Guard::Turn turn = bucket == nullptr ? Guard::Turn{0, false} : bucket->turn();
  Communicator::Used& used = bucket == nullptr ? communicator->service(call.collective, algorithm)
                                               : bucket->used(turn.way);
  Communicator::Used& able = able_to_serve(call, *communicator, used);
  const double started = reporting || turn.timed ? PMPI_Wtime() : 0;
  int code = MPI_SUCCESS;
  const bool served = !able.is_native() && run_ours(call, *communicator, able, code);
  const Service* service = able.service;
  if (!served) {
    code = native();
    if (reporting && !service->choice.native())
      service = &communicator->native_instead_of(*service);
  }
  const double seconds = reporting || turn.timed ? PMPI_Wtime() - started : 0;
  if (reporting && code == MPI_SUCCESS)
    communicator->process().count(*service, call.bytes(communicator->seat(call)), seconds);
  if (bucket != nullptr) bucket->ended(call, seconds);
  return code;
}

}  // namespace toccata
