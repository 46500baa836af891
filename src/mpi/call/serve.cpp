#include "mpi/call/serve.h"

#include <memory>
#include <optional>
#include <utility>

#include "mpi/call/alternatives.h"
#include "mpi/call/arrival.h"
#include "mpi/call/blocking.h"
#include "mpi/call/program_request.h"
#include "mpi/call/recorded.h"
#include "mpi/call/repeats.h"
#include "mpi/call/shortcuts.h"
#include "mpi/communicator/communicator.h"
#include "mpi/devices/device_memory.h"
#include "mpi/execution/staging.h"

namespace toccata {

namespace {

bool is_reporting(const Communicator& communicator) {
  return Settings::get().reporting() && communicator.rank() == 0;
}

int run_natively(const ProgramCall& call, Communicator& communicator) {
  const int code = call.native();
  if (code == MPI_SUCCESS) communicator.count_native(call.operation, call.form);
  return code;
}

// Invalid calls are judged before any agreement. The calls of other ranks may be valid, and all
// ranks would have to take part in an agreement.
std::optional<int> judge(const ProgramCall& call, const Seat& seat, Communicator& communicator) {
  if (call.form == Form::blocking) {
    const int fault = communicator.fault(call.operation, seat, call.algorithm);
    if (fault == MPI_SUCCESS) return {};
    return call.algorithm == nullptr ? call.native() : communicator.raise(fault);
  }
#ifdef TOCCATA_SERVES_REQUESTS
  if (call.request != nullptr && ProgramRequest::can_serve(call.operation, seat, communicator))
    return {};
  if (call.request != nullptr) return run_natively(call, communicator);
#endif
  return call.native();
}

// What serves a call: an algorithm, native, or candidates that its starts compare.
struct Decided {
  Server* server = nullptr;  // null is native
  Decisions::Verdict verdict = {};
  std::unique_ptr<Decision> candidates = nullptr;  // of a persistent call
};

// All ranks are at this call, so they can agree.
Decided decide_blocking(const ProgramCall& call, Communicator& communicator,
                        const Question& question) {
  communicator.settle_nonblocking();
  Decided result;
  if (call.algorithm == nullptr)
    result.verdict =
        communicator.decisions().verdict(question, Form::blocking, is_reporting(communicator));
  if (result.verdict.lent != nullptr) return result;
  Decision* const decision = result.verdict.decision;
  result.server = &communicator.able_to_serve(
      call.operation, decision == nullptr
                          ? communicator.server(call.operation.collective, call.algorithm)
                          : decision->server_of(result.verdict.start));
  return result;
}

int run_blocking(const ProgramCall& call, const Seat& seat, Communicator& communicator,
                 const Question& question, const Decided& decided) {
  if (call.algorithm == nullptr && Settings::get().wants_nccl(call.operation.collective))
    if (const auto code = communicator.serve_by_nccl(call.operation)) return *code;
  Decision* const decision = decided.verdict.decision;
  const Trials::Start& start = decided.verdict.start;
  const bool reports = is_reporting(communicator);
  Server& server = *decided.server;
  // No call is timed while it waits for earlier ones.
  if (!server.is_native() && server.service->choice.publishes())
    end_open_publications(communicator);
  TimedCall timed{.awaited = !call.operation.collective.comes_from_root() ||
                             communicator.rank() == call.operation.root};
  if (reports || start.timed) timed.arrived = communicator.now();
  int code = MPI_SUCCESS;
  const bool stays = call.algorithm == nullptr && !reports && !Recorded::is_on() &&
                     (decision == nullptr || decision->trials() == nullptr);
  const bool served = !server.is_native() && run_ours(call.operation, seat, communicator, server,
                                                      code, stays ? &call.signature : nullptr);
  if (served && call.algorithm == nullptr && code != MPI_SUCCESS)
    end_job_if_others_wait(call.operation, communicator, server, code);
  if (served) Recorded::tell(*server.service);
  if (!served) code = call.native();
  if (!served && code != MPI_SUCCESS && rejects_arguments(code)) {
    Decisions::rejected(decided.verdict);
    return code;
  }
  if (reports || start.timed) timed.left = communicator.now();
  if (reports && code == MPI_SUCCESS)
    communicator.count(
        served ? *server.service : communicator.native_service(server, decision, question),
        Form::blocking, call.operation.bytes(seat), timed.seconds());
  if (decision == nullptr) return code;
  if (start.apart)
    timed =
        run_apart(call.operation, communicator,
                  communicator.able_to_serve(call.operation, decision->server(start.candidate)));
  const bool on_device = start.timed && has_device_runtime() &&
                         Places(call.operation, seat, communicator.process().datatypes()).any();
  communicator.decisions().ended(decided.verdict, question, timed, on_device);
  return code;
}

#ifdef TOCCATA_SERVES_REQUESTS

// No rank may wait for another one.
Decided decide_nonblocking(const ProgramCall& call, Communicator& communicator,
                           const Question& question) {
  Decided result{.verdict = communicator.nonblocking_verdict(question)};
  Decision* const decision = result.verdict.decision;
  const Trials::Start& start = result.verdict.start;
  if (result.verdict.lent != nullptr) return result;
  if (start.timed) decision->note_blocks(question);
  Server* const decided = decision != nullptr ? &decision->server(start.candidate)
                                              : communicator.server_at_once(call.operation);
  if (decided != nullptr)
    result.server =
        ProgramRequest::usable(call.operation, communicator, *decided, Form::nonblocking);
  if (result.server == nullptr && !start.timed && (decided == nullptr || decided->is_native()))
    result.verdict.lent = &communicator.decisions().lend(question);
  return result;
}

int make_request(const ProgramCall& call, Communicator& communicator, Server& server,
                 const TimedStart& timed, Lane lane = {}) {
  *call.request = MPI_REQUEST_NULL;
  std::unique_ptr<Request> made;
  const int code =
      Request::make_driven(std::make_unique<Call>(call.operation, call.start), communicator, server,
                           server.service, call.form == Form::persistent, made, std::move(lane));
  if (code != MPI_SUCCESS) return code;
  Recorded::tell(*server.service);
  return ProgramRequest::make(std::move(made), communicator, call.form, *call.request, timed);
}

// A call that the MPI library serves, and that has already started.
class NativeCall final : public DrivenRequest {
 public:
  NativeCall(MPI_Request request, Communicator& communicator) : request_(request) {
    communicator_ = communicator.shared();
  }

  bool start_driven() override { return try_driven(); }
  bool try_driven() override {
    bool ended = false;
    code_ = Polling::test(request_, ended);
    return ended;
  }

 private:
  MPI_Request request_;
};

int run_nonblocking(const ProgramCall& call, Communicator& communicator, const Decided& decided) {
  const Trials::Start& start = decided.verdict.start;
  TimedStart timed;
  if (start.timed) timed = {decided.verdict.decision->open_trials(), start};
  if (decided.server != nullptr) return make_request(call, communicator, *decided.server, timed);
  if (start.timed) timed.seconds = PMPI_Wtime();
  const int code = run_natively(call, communicator);
  if (code != MPI_SUCCESS && rejects_arguments(code)) Decisions::rejected(decided.verdict);
  if (code != MPI_SUCCESS || !start.timed) return code;
  return ProgramRequest::make(std::make_unique<NativeCall>(*call.request, communicator),
                              communicator, call.form, *call.request, timed);
}

// All ranks are at this call, but may be at different starts later.
Decided decide_persistent(const ProgramCall& call, Communicator& communicator,
                          const Question& question) {
  Decided result{.candidates = communicator.decisions().persistent(question)};
  Decision* const decision = result.candidates.get();
  if (decision != nullptr && decision->trials() != nullptr) return result;
  Server& decided =
      decision != nullptr ? decision->current() : communicator.server_for(call.operation, nullptr);
  return {.server =
              ProgramRequest::usable(call.operation, communicator, decided, Form::persistent)};
}

int run_persistent(const ProgramCall& call, Communicator& communicator, const Question& question,
                   Decided& decided) {
  if (decided.candidates != nullptr) {
    const int code = call.native();
    if (code != MPI_SUCCESS) return code;
    auto alternatives = Alternatives::make(std::move(decided.candidates), call.start, communicator,
                                           call.operation, *call.request);
    if (alternatives != nullptr)
      return ProgramRequest::make(std::move(alternatives), communicator, call.form, *call.request);
    communicator.count_native(call.operation, call.form);
    return code;
  }
  if (decided.server == nullptr) return run_natively(call, communicator);
  Lane lane;
  if (decided.server->service->key.source == Source::node) {
    lane = {Channel::blocking_tag, communicator.open_separate_channel()};
    // With messages, native may be faster. But a sum has the same bits in any case.
    if (lane.channel == nullptr && !question.keeps_order) return run_natively(call, communicator);
    if (lane.channel == nullptr) lane = {};
  }
  return make_request(call, communicator, *decided.server, {}, std::move(lane));
}

#endif

Decided decide(const ProgramCall& call, Communicator& communicator, const Question& question) {
#ifdef TOCCATA_SERVES_REQUESTS
  if (call.form == Form::nonblocking) return decide_nonblocking(call, communicator, question);
  if (call.form == Form::persistent) return decide_persistent(call, communicator, question);
#endif
  return decide_blocking(call, communicator, question);
}

int run(const ProgramCall& call, const Seat& seat, Communicator& communicator,
        const Question& question, Decided& decided) {
#ifdef TOCCATA_SERVES_REQUESTS
  if (call.form == Form::nonblocking) return run_nonblocking(call, communicator, decided);
  if (call.form == Form::persistent) return run_persistent(call, communicator, question, decided);
#endif
  return run_blocking(call, seat, communicator, question, decided);
}

}  // namespace

int serve(ProgramCall&& call) {
  // With this log, the program's calls come here without a look-up, so that the arrival is kept.
  std::optional<Arrival> arrival;
  if (ArrivalLog::is_on() && call.form == Form::blocking) {
    arrival.emplace(call.signature);
    if (call.algorithm == nullptr) {
      if (Repeats::is_one_more(call.signature))
        return Repeats::judged(call.native(), call.signature);
      if (int code; Shortcuts::take(call.signature, code)) return code;
    }
  }
  const auto native = [its = call.native] { return InHandlers::call(its); };
  call.native = native;
  Communicator* const communicator = Communicator::of(call.signature.comm);
  if (communicator == nullptr || communicator->is_inter()) return call.native();
  if (call.operation.collective.among_neighbors)
    call.operation.neighborhood = communicator->neighbors();
  const Seat seat = communicator->seat(call.operation);
  if (const auto code = judge(call, seat, *communicator)) return *code;
  const Question question = communicator->question(call.operation);
  Decided decided = decide(call, *communicator, question);
  Decisions::SizeClass* const lent = decided.verdict.lent;
  if (lent == nullptr) return run(call, seat, *communicator, question, decided);
  if (!is_reporting(*communicator))
    Repeats::remember(call.signature, call.operation, seat, *lent,
                      communicator->process().datatypes());
  const int code = run_natively(call, *communicator);
  if (code != MPI_SUCCESS && rejects_arguments(code)) Decisions::rejected(decided.verdict);
  return code;
}

}  // namespace toccata
