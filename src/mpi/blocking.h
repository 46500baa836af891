#pragma once

#include <mpi.h>

#include "mpi/communicator.h"
#include "mpi/operation.h"
#include "mpi/repeats.h"
#include "mpi/shortcuts.h"

namespace toccata {

// What serves a call in place of `server`: a reduction's operation may want another.
inline Server& able_to_serve(const Operation& call, Communicator& communicator, Server& server) {
  const DatatypeTable& datatypes = communicator.process().datatypes();
  if (server.is_native() || call.allows(server.service->choice.ordered(), datatypes)) return server;
  return communicator.instead_of(server, call.allows(true, datatypes));
}

// What serves a call, without waiting for other ranks unless an algorithm is requested that depends
// on where they run. ChoiceError as Communicator::server.
inline Server& server_for(const Operation& call, Communicator& communicator,
                          const char* algorithm) {
  Decision* const decision = algorithm == nullptr
                                 ? communicator.decisions().made_for(communicator.question(call))
                                 : nullptr;
  Server& server =
      decision != nullptr ? decision->current() : communicator.server(call.collective, algorithm);
  return able_to_serve(call, communicator, server);
}

// Runs a call without a fault by one of our algorithms, to its end. False where the MPI library has
// to serve or to judge it; then nothing has been sent. `code` has been through the error handler.
// If later calls that say the same will be served alike, `said` is not null.
bool run_ours(const Operation& call, Communicator& communicator, Server& server, int& code,
              const Said* said = nullptr);

// Runs a collective to its end, by the algorithm of that name, or what the environment asks where
// it is null; or calls `native`, which is the MPI library's own with the same arguments. Returns an
// MPI error code, after the communicator's error handler has had it. ChoiceError for an algorithm
// that is not there or cannot run.
template <typename Native>
int run(const Said& said, Operation call, const char* algorithm, Native&& native) {
  Communicator* const communicator = Communicator::of(said.comm);
  if (communicator == nullptr || communicator->is_inter()) return native();
  if (call.collective.among_neighbors) call.neighborhood = communicator->neighbors();
  // A wrong call is judged before anything is agreed on, for which other ranks, whose calls may be
  // right, would have to come.
  if (const int fault = communicator->fault(call, algorithm); fault != MPI_SUCCESS)
    return algorithm == nullptr ? native() : communicator->raise(fault);
  const bool reporting = Settings::get().reporting() && communicator->rank() == 0;
  communicator->settle_open_decisions();

  // Decide.
  const Question question = communicator->question(call);
  Decisions::Verdict verdict;
  if (algorithm == nullptr) verdict = communicator->decisions().verdict(question, reporting);
  if (verdict.lent != nullptr) {
    Repeats::remember(said, call, communicator->seat(call), *verdict.lent,
                      communicator->process().datatypes());
    return native();
  }
  Decision* const decision = verdict.decision;
  const Trials::Next next = verdict.next;
  Server& decided = decision == nullptr ? communicator->server(call.collective, algorithm)
                                        : decision->server(next.candidate);
  Server& server = able_to_serve(call, *communicator, decided);

  // Run.
  const double started = reporting || next.timed ? PMPI_Wtime() : 0;
  int code = MPI_SUCCESS;
  const bool stays =
      algorithm == nullptr && !reporting && (decision == nullptr || decision->is_made());
  const bool served =
      !server.is_native() && run_ours(call, *communicator, server, code, stays ? &said : nullptr);
  const Service* service = server.service;
  if (!served) {
    code = native();
    if (reporting && !service->choice.native())
      service = &communicator->native_instead_of(*service);
    else if (reporting && decision == nullptr && service->key.reason == "native")
      service = &communicator->native_because(question);
  }
  const double seconds = reporting || next.timed ? PMPI_Wtime() - started : 0;

  // Count it.
  if (reporting && code == MPI_SUCCESS)
    communicator->process().count(*service, call.bytes(communicator->seat(call)), seconds);
  if (decision != nullptr)
    decision->ended(question, seconds,
                    next.timed && question.bytes < 0 ? call.own_unit(communicator->seat(call)) : 0);
  return code;
}

}  // namespace toccata
