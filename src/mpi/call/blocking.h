#pragma once

#include <mpi.h>

#include "mpi/call/repeats.h"
#include "mpi/call/shortcuts.h"
#include "mpi/communicator/communicator.h"
#include "mpi/data/operation.h"
#include "mpi/execution/staging.h"

namespace toccata {

// The server of a call: `server`, or another one if the operation of a reduction requires it.
inline Server& able_to_serve(const Operation& call, Communicator& communicator, Server& server) {
  const DatatypeTable& datatypes = communicator.process().datatypes();
  if (server.is_native() || call.allows(server.service->choice.ordered(), datatypes)) return server;
  return communicator.instead_of(server, call.allows(true, datatypes));
}

// Whether a decision for blocking calls uses the node's memory, or follows the rule for networks.
// In memory, blocking calls take so little time that such a decision does not suit requests; the
// rule knows another price for them.
inline bool suits_blocking_calls_only(const Server& server) {
  const Source source = server.service->key.source;
  return server.is_candidate && server.form == Form::blocking &&
         (source == Source::network ||
          (server.service->choice.publishes() && source != Source::forced));
}

// The server of a call. Does not wait for other ranks, unless the requested algorithm depends on
// where they run. ChoiceError as in Communicator::server.
inline Server& server_for(const Operation& call, Communicator& communicator,
                          const char* algorithm) {
  Decision* const decision = algorithm == nullptr
                                 ? communicator.decisions().made_for(communicator.question(call))
                                 : nullptr;
  Server& server =
      decision != nullptr ? decision->current() : communicator.server(call.collective, algorithm);
  return able_to_serve(call, communicator, server);
}

// Waits until the nonblocking calls that publish have ended: they come first on the board.
void end_open_publications(Communicator& communicator);

// Runs a valid call by one of our algorithms, to its end. Returns false if the MPI library must
// serve or judge the call; no message has been sent then. `code` has passed the error handler.
// `said` is not null if later calls with the same arguments will be served in the same way.
bool run_ours(const Operation& call, Communicator& communicator, Server& server, int& code,
              const Said* said = nullptr);

// Call this after run_ours() with an error, in a call of MPI's own functions. Ends the job if this
// rank lacked memory and the other ranks do not learn that: they would wait for its messages.
void end_job_if_others_wait(const Operation& call, Communicator& communicator, Server& server,
                            int code);

// Runs a reduction like `call` once, to measure its time, and discards the result. `server` serves
// it, or the MPI library if `server` cannot. The operation must be predefined. Returns seconds. All
// ranks call this.
double seconds_apart(const Operation& call, Communicator& communicator, Server& server);

// Runs a collective to its end. `algorithm` is a name; if it is null, the environment decides.
// `native` calls the MPI library's own function with the same arguments. Returns an MPI error code,
// after the communicator's error handler has received it. Throws ChoiceError if the algorithm does
// not exist or cannot run.
template <typename Native>
int run(const Said& said, Operation call, const char* algorithm, Native&& native) {
  Communicator* const communicator = Communicator::of(said.comm);
  if (communicator == nullptr || communicator->is_inter()) return native();
  if (call.collective.among_neighbors) call.neighborhood = communicator->neighbors();
  // Invalid calls are judged before any agreement. The calls of other ranks may be valid, and all
  // ranks would have to take part in an agreement.
  if (const int fault = communicator->fault(call, algorithm); fault != MPI_SUCCESS)
    return algorithm == nullptr ? native() : communicator->raise(fault);
  const bool reporting = Settings::get().reporting() && communicator->rank() == 0;
  communicator->settle_open_decisions();

  if (algorithm == nullptr && Settings::get().wants_nccl(call.collective)) {
    const double began = reporting ? PMPI_Wtime() : 0;
    if (int code = MPI_SUCCESS; communicator->nccl().serve(call, code)) {
      if (reporting && code == MPI_SUCCESS)
        communicator->process().count(communicator->nccl_service(call.collective),
                                      call.bytes(communicator->seat(call)), PMPI_Wtime() - began);
      return code;
    }
  }

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
                                        : decision->server_of(next);
  Server& server = able_to_serve(call, *communicator, decided);

  // Run. No call is timed while it waits for earlier ones.
  if (!server.is_native() && server.service->choice.publishes())
    end_open_publications(*communicator);
  const double started = reporting || next.timed ? PMPI_Wtime() : 0;
  int code = MPI_SUCCESS;
  const bool stays =
      algorithm == nullptr && !reporting && (decision == nullptr || decision->is_made());
  const bool served =
      !server.is_native() && run_ours(call, *communicator, server, code, stays ? &said : nullptr);
  const Service* service = server.service;
  if (served && algorithm == nullptr && code != MPI_SUCCESS)
    end_job_if_others_wait(call, *communicator, server, code);
  if (!served) {
    code = native();
    if (reporting && !service->choice.native())
      service = &communicator->native_instead_of(*service);
    else if (reporting && decision == nullptr && service->key.source == Source::native)
      service = &communicator->native_because(question);
  }
  double seconds = reporting || next.timed ? PMPI_Wtime() - started : 0;

  // Count it.
  if (reporting && code == MPI_SUCCESS)
    communicator->process().count(*service, call.bytes(communicator->seat(call)), seconds);
  if (next.apart)
    seconds = seconds_apart(call, *communicator,
                            able_to_serve(call, *communicator, decision->server(next.candidate)));
  if (decision != nullptr) {
    const bool on_device =
        next.timed && has_device_runtime() &&
        Places(call, communicator->seat(call), communicator->process().datatypes()).any();
    decision->ended(question, seconds,
                    next.timed && question.bytes < 0 ? call.own_unit(communicator->seat(call)) : 0,
                    on_device);
    communicator->note(*decision);
  }
  return code;
}

}  // namespace toccata
