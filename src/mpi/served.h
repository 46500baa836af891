#pragma once

#include <mpi.h>

#ifdef OPEN_MPI  // whose waiting drives us; see progress_hook.h

#include <atomic>
#include <memory>

#include "mpi/communicator.h"
#include "mpi/request.h"

namespace toccata {

// A nonblocking or persistent collective of the program's that one of our algorithms serves. The
// program holds a request of MPI's own, for which every function of MPI for requests works:
//
//   nonblocking   a generalized request, which ends when the schedule has ended
//   persistent    a receive of nothing from this very rank; when the schedule has ended, that
//                 message is sent
class Served final : public UnderWay, public std::enable_shared_from_this<Served> {
 public:
  enum class Kind : std::uint8_t { nonblocking, persistent };

  // What serves such a call of the program's; null for the MPI library. The same on all ranks. For
  // a nonblocking call no rank waits for another one here.
  static Server* server(const Operation& call, Communicator& communicator, Kind kind);
  // Starts a call, or binds its arguments. Errors have been through the error handler.
  static int make(std::unique_ptr<Call> call, Communicator& communicator, Server& server, Kind kind,
                  MPI_Request& handle);
  ~Served();

  // What MPI_Start has to do next, and MPI_Request_free first, where any persistent requests are
  // ours. Other requests they leave alone.
  static bool are_persistent() { return persistent_count.load(std::memory_order_relaxed) > 0; }
  static int started(MPI_Request handle);
  static void freed(MPI_Request handle);

  bool try_progress() override { return request_->try_driven(); }
  void left() override;

 private:
  Served() = default;
  int make_generalized();
  int make_persistent();
  void start();

  static int answer(void* state, MPI_Status* status);
  static int forget(void* state);
  static int refuse_to_cancel(void*, int) { return MPI_ERR_REQUEST; }  // as Open MPI does

  static std::atomic<int> persistent_count;

  std::unique_ptr<Request> request_;
  MPI_Request handle_ = MPI_REQUEST_NULL;
  int tag_ = -1;                       // of a persistent one
  MPI_Comm self_ = MPI_COMM_NULL;      // where it is sent
  std::shared_ptr<Served> under_way_;  // ourselves, whatever becomes of the handle
};

// Serves a call of MPI_I<name> or MPI_<name>_init, or calls `native`. `make_call` returns the call
// with its arguments.
template <typename MakeCall, typename Native>
int run_request(Operation call, MPI_Comm comm, Served::Kind kind, MPI_Request* handle,
                MakeCall&& make_call, Native&& native) {
  Communicator* const communicator = Communicator::of(comm);
  if (communicator == nullptr || communicator->is_inter()) return native();
  if (call.collective.among_neighbors) call.neighborhood = communicator->neighbors();
  Server* const server = handle == nullptr ? nullptr : Served::server(call, *communicator, kind);
  if (server != nullptr) return Served::make(make_call(), *communicator, *server, kind, *handle);
  const int code = native();
  if (code == MPI_SUCCESS && Settings::get().reporting() && communicator->rank() == 0)
    communicator->process().count(
        communicator->native_requests(communicator->question(call),
                                      kind == Served::Kind::persistent),
        call.fault(communicator->seat(call), communicator->process().datatypes()) == MPI_SUCCESS
            ? call.bytes(communicator->seat(call))
            : 0,
        0);
  return code;
}

}  // namespace toccata

#endif
