#pragma once

#include <mpi.h>

#include "mpi/execution/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "mpi/call/alternatives.h"
#include "mpi/call/blocking.h"
#include "mpi/call/repeats.h"
#include "mpi/call/request.h"
#include "mpi/call/said.h"
#include "mpi/communicator/communicator.h"
#include "mpi/process/progress_hook.h"

namespace toccata {

// A nonblocking or persistent collective of the program, served by one of our algorithms. The
// program gets a request of MPI itself, which all MPI functions for requests accept:
//
//   nonblocking   a generalized request, which ends when the schedule has ended
//   persistent    a receive of nothing from this very rank; when the schedule has ended, that
//                 message is sent
//
// MPICH's MPI_Waitall fails if it gets a null request and an open generalized one (5.0.2), so
// there, a nonblocking call is such a receive, too.
class Served final : public UnderWay, public std::enable_shared_from_this<Served> {
 public:
  enum class Kind : std::uint8_t { nonblocking, persistent };

  // Whether any call can be served or has to be counted. If not, calls go to MPI at once.
  static bool are_possible() { return ProgressHook::is_driving() || Settings::get().reporting(); }

  // Whether a call without a fault can be served here. The same on all ranks.
  static bool can_serve(const Operation& call, Communicator& communicator);
  // The server that can serve the call: `decided`, or its replacement; null for the MPI library.
  // The same on all ranks. For a nonblocking call, no rank waits for another one here.
  static Server* usable(const Operation& call, Communicator& communicator, Server& decided,
                        Kind kind);

  // The verdict of a call that is timed in a trial.
  using Timed = std::optional<OpenDecisions::Verdict>;
  // Starts a call, or binds the arguments of a persistent one. The error handler has received any
  // error.
  static int make(std::unique_ptr<Call> call, Communicator& communicator, Server& server, Kind kind,
                  MPI_Request& handle, const Timed& timed = {}, Lane lane = {});
  // For a timed nonblocking call that the MPI library serves by `handle`: replaces the handle by a
  // request of ours.
  static int time_native(MPI_Request& handle, double started, const Timed& timed,
                         Communicator& communicator);
  // The same for a persistent call with candidates.
  static int make_persistent(std::unique_ptr<Alternatives> alternatives, Communicator& communicator,
                             MPI_Request& handle);
  ~Served();

  // For MPI_Start and MPI_Request_free. If any persistent requests are ours, call the first after
  // MPI_Start, and the second before MPI_Request_free. They ignore requests of others.
  static bool are_persistent() { return persistent_count.load(std::memory_order_relaxed) > 0; }
  static int started(MPI_Request handle);
  static void freed(MPI_Request handle);
  // For MPI_Cancel: whether this is a request of ours that has not ended.
  static bool is_open(MPI_Request handle);

  bool try_progress() override { return driven_->try_driven(); }
  void left() override;
  bool has(MPI_Request handle) const override { return handle == handle_; }

 private:
  Served() = default;
  int make_single();
  int take_tag();
  int make_persistent();
  void start();
  static int make_nonblocking(const std::shared_ptr<Served>& made, Communicator& communicator,
                              const Timed& timed, MPI_Request& handle);

#ifdef OPEN_MPI
  static int answer(void* state, MPI_Status* status);
  static int forget(void* state);
  static int refuse_to_cancel(void*, int) { return MPI_ERR_REQUEST; }  // as Open MPI does
#endif

  static std::atomic<int> persistent_count;

  std::unique_ptr<Driven> driven_;
  // For a timed call.
  Timed timed_;
  std::shared_ptr<Communicator> communicator_;
  double started_ = 0;
  MPI_Request handle_ = MPI_REQUEST_NULL;
  int tag_ = -1;                       // of a receive from this rank
  MPI_Comm self_ = MPI_COMM_NULL;      // the communicator of that message
  std::shared_ptr<Served> under_way_;  // this object, even if the program frees the handle
};

// Counts a call that the MPI library has served.
void count_native(const Operation& call, Communicator& communicator, Served::Kind kind);

// Serves a call of MPI_I<name>. `make_call` returns the call with its arguments.
template <typename MakeCall, typename Native>
int run_nonblocking(const Said& said, const Operation& call, Communicator& communicator,
                    MPI_Request& handle, MakeCall&& make_call, Native&& native) {
  if (Served::can_serve(call, communicator)) {
    const Question question = communicator.question(call);
    OpenDecisions::SizeClass* lent = communicator.lent_open(question);
    Served::Timed timed;
    if (lent == nullptr) {
      timed = communicator.open_verdict(question);
      Server* const decided = timed ? &timed->server() : communicator.server_at_once(call);
      if (timed && timed->start.place < 0) timed.reset();
      if (timed && question.bytes < 0)
        timed->calls->decision->note_blocks(call.own_unit(communicator.seat(call)));
      Server* const server = decided == nullptr ? nullptr
                                                : Served::usable(call, communicator, *decided,
                                                                 Served::Kind::nonblocking);
      if (server != nullptr)
        return Served::make(make_call(), communicator, *server, Served::Kind::nonblocking, handle,
                            timed);
      if (!timed && (decided == nullptr || decided->is_native()))
        lent = &communicator.lend_open(question);
    }
    if (lent != nullptr && !Settings::get().reporting())
      Repeats::remember(said, call, communicator.seat(call), *lent,
                        communicator.process().datatypes());
    const double started = timed ? PMPI_Wtime() : 0;
    const int code = native();
    if (code != MPI_SUCCESS) return code;
    count_native(call, communicator, Served::Kind::nonblocking);
    return timed ? Served::time_native(handle, started, timed, communicator) : code;
  }
  const int code = native();
  if (code == MPI_SUCCESS) count_native(call, communicator, Served::Kind::nonblocking);
  return code;
}

// The same for MPI_<name>_init, where ranks may wait for each other.
template <typename MakeCall, typename Native>
int run_persistent(const Operation& call, Communicator& communicator, MPI_Request& handle,
                   MakeCall&& make_call, Native&& native) {
  Server* server = nullptr;
  if (Served::can_serve(call, communicator)) {
    auto decision = Alternatives::decision(call, communicator);
    if (decision != nullptr && decision->trials() != nullptr) {
      const int code = native();
      if (code != MPI_SUCCESS) return code;
      auto alternatives =
          Alternatives::make(std::move(decision), make_call, communicator, call, handle);
      if (alternatives != nullptr)
        return Served::make_persistent(std::move(alternatives), communicator, handle);
      count_native(call, communicator, Served::Kind::persistent);
      return code;
    }
    server = decision != nullptr
                 ? Served::usable(call, communicator, decision->current(), Served::Kind::persistent)
                 : Served::usable(call, communicator, server_for(call, communicator, nullptr),
                                  Served::Kind::persistent);
  }
  Lane lane;
  if (server != nullptr && server->service->key.source == Source::node) {
    lane = {Channel::blocking_tag, communicator.open_separate_channel()};
    // With messages, native may be faster. But a sum has the same bits in any case.
    if (lane.channel == nullptr) {
      lane = {};
      if (!communicator.question(call).keeps_order) server = nullptr;
    }
  }
  if (server != nullptr)
    return Served::make(make_call(), communicator, *server, Served::Kind::persistent, handle, {},
                        std::move(lane));
  const int code = native();
  if (code == MPI_SUCCESS) count_native(call, communicator, Served::Kind::persistent);
  return code;
}

// Serves a call by one of the two functions above, or calls `native`.
template <typename MakeCall, typename Native>
int run_request(const Said& said, Operation call, Served::Kind kind, MPI_Request* handle,
                MakeCall&& make_call, Native&& native) {
  Communicator* const communicator = Communicator::of(said.comm);
  if (communicator == nullptr || communicator->is_inter() || handle == nullptr) return native();
  if (call.collective.among_neighbors) call.neighborhood = communicator->neighbors();
  return kind == Served::Kind::nonblocking
             ? run_nonblocking(said, call, *communicator, *handle, make_call, native)
             : run_persistent(call, *communicator, *handle, make_call, native);
}

}  // namespace toccata

#endif
