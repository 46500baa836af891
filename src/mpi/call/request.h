#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mpi/call/call.h"
#include "mpi/call/driven_request.h"
#include "mpi/execution/engine.h"
#include "mpi/execution/staging.h"

namespace toccata {

// Where persistent requests send, if only one of them is active at a time: with the tags from `tag`
// on, on the communicator's channel, or on a separate one (otherwise null).
struct Lane {
  int tag = -1;
  std::shared_ptr<Channel> channel = nullptr;

  // The tag of the result is negative if there is none. Collective.
  static Lane open(Communicator& communicator, int tags, bool publishes);
};

// A nonblocking or persistent collective. It advances while the program waits for any request or
// tests one; see Process::progress.
class Request final : public UnderWay, public DrivenRequest {
 public:
  // Binds the arguments. Nothing is sent before start(). Persistent requests can start many times.
  // Errors as in run().
  static int make(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
                  std::unique_ptr<Request>& made);
  // The same for a call that our algorithm serves, by `server`, on a channel that is open or is
  // being opened. It is in no list: its owner advances it. If `service` is null, calls are not
  // counted.
  static int make_driven(std::unique_ptr<Call> call, Communicator& communicator, Server& server,
                         const Service* service, bool persistent, std::unique_ptr<Request>& made,
                         Lane lane = {});
  ~Request() override;

  bool start_driven() override;
  bool try_driven() override;

  int start();
  int test(bool& done);
  int wait();
  // start() and wait() in one, as a blocking call.
  int run();
  // Called while another request is waited for.
  bool try_progress() override;

  bool persistent() const { return persistent_; }
  bool active() const { return active_; }

 private:
  Request(std::unique_ptr<Call> call, MPI_Comm comm, bool persistent);

  bool has_schedule() const { return plan_ != nullptr; }
  int prepare_native();
  int prepare_schedule(Server& server);
  int prepare_on_channel(Server& server);
  Transport transport() const;
  int bind();
  void note_bytes();
  void begin();
  void go_on();  // as far as possible; the mutex is held
  bool end_driven();
  void count();  // for the report, when the request has completed

  std::unique_ptr<Call> call_;
  std::vector<OwnedDatatype> datatypes_;  // of the call
  MPI_Comm comm_;
  MPI_Comm own_comm_ = MPI_COMM_NULL;  // for a persistent call that the MPI library serves
  bool persistent_;
  bool publishes_ = false;  // on the channel's board
  bool is_driven_ = false;
  const Service* service_ = nullptr;
  Channel* channel_ = nullptr;
  std::shared_ptr<Channel> separate_;  // the same, if it is separate
  std::shared_ptr<const Plan> plan_;   // null where the MPI library serves
  int turn_ = 0;
  bool empty_ = false;  // no data, as every rank can see
  Staging staging_;
  int copied_ = MPI_SUCCESS;  // the result of its copies
  Channel::Ticket ticket_{.tag = -1};
  double started_ = 0;
  double waited_ = 0;  // of the WaitClock at the start
  std::int64_t bytes_ = 0;

  std::mutex mutex_;  // guards the members below and code_ while the request is active
  // Whether a thread holds the mutex. This may be our own thread, if MPI has called us again.
  std::atomic<bool> at_it_ = false;
  std::unique_ptr<Engine> engine_;
  std::optional<BoundProgram> bound_;  // the short form of run(), after the first run
  MPI_Request native_ = MPI_REQUEST_NULL;
  bool active_ = false;
  bool posted_ = false;  // the schedule has begun; before, the channel opens
  bool done_ = false;
};

}  // namespace toccata
