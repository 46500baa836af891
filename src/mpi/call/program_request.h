#pragma once

#include <mpi.h>

#include "mpi/libraries/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include <atomic>
#include <memory>

#include "choices/form.h"
#include "deciding/open_trials.h"
#include "mpi/call/driven_request.h"
#include "mpi/communicator/communicator.h"
#include "mpi/libraries/progress_hook.h"

namespace toccata {

// The place of a call in a trial; without one, the call is not timed.
struct TimedStart {
  OpenTrials* trials = nullptr;
  Trials::Start start = {};
  double seconds = 0;  // when the MPI library started it; 0: it starts later
};

// A nonblocking or persistent collective of the program, served by one of our algorithms. The
// program gets a request of MPI itself, which all MPI functions for requests accept:
//
//   nonblocking   a generalized request, which ends when the schedule has ended
//   persistent    a receive of nothing from this very rank; when the schedule has ended, that
//                 message is sent
//
// MPICH's MPI_Waitall fails if it gets a null request and an open generalized one (5.0.2), so
// there, a nonblocking call is such a receive, too.
class ProgramRequest final : public UnderWay, public std::enable_shared_from_this<ProgramRequest> {
 public:
  // Whether any call can be served or has to be counted. If not, calls go to MPI at once.
  static bool are_possible() { return ProgressHook::is_driving() || Settings::get().reporting(); }

  // Whether a call without a fault can be served here. The same on all ranks.
  static bool can_serve(const Operation& call, const Seat& seat, Communicator& communicator);
  // The server that can serve the call: `decided`, or its replacement; null for the MPI library.
  // The same on all ranks. For a nonblocking call, no rank waits for another one here.
  static Server* usable(const Operation& call, Communicator& communicator, Server& decided,
                        Form form);

  // Makes a request of MPI that drives the call. Starts it, unless it is persistent. The error
  // handler has received any error.
  static int make(std::unique_ptr<DrivenRequest> call, Communicator& communicator, Form form,
                  MPI_Request& handle, TimedStart timed = {});
  ~ProgramRequest();

  // For MPI_Start and MPI_Request_free. If any persistent requests are ours, call the first after
  // MPI_Start, and the second before MPI_Request_free. They ignore requests of others.
  static bool are_persistent() { return persistent_count.load(std::memory_order_relaxed) > 0; }
  static void started(MPI_Request handle);
  static void freed(MPI_Request handle);
  // For MPI_Cancel: whether this is a request of ours that is persistent, or has not ended.
  static bool is_open(MPI_Request handle);

  bool try_progress() override { return driven_->try_driven(); }
  void left() override;
  bool has(MPI_Request handle) const override { return handle == handle_; }

 private:
  ProgramRequest() = default;
  int make_single();
  int take_tag();
  int make_persistent();
  void start();

  static int answer(void* state, MPI_Status* status);
  static int forget(void* state);
  static int refuse_to_cancel(void*, int) { return MPI_ERR_REQUEST; }  // as Open MPI does

  static std::atomic<int> persistent_count;

  std::unique_ptr<DrivenRequest> driven_;
  TimedStart timed_;
  std::shared_ptr<Communicator> communicator_;  // of a timed call: its trials
  MPI_Request handle_ = MPI_REQUEST_NULL;
  int tag_ = -1;                               // of a receive from this rank
  MPI_Comm self_ = MPI_COMM_NULL;              // the communicator of that message
  std::shared_ptr<ProgramRequest> under_way_;  // this object, even if the program frees the handle
};

}  // namespace toccata

#endif
