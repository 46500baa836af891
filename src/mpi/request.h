#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mpi/communicator.h"
#include "mpi/execution.h"
#include "mpi/operation.h"

namespace toccata {

// What the MPI library has to do itself, or to complain about.
inline bool is_for_native(const Communicator* communicator) {
  return communicator == nullptr || communicator->is_inter();
}

// What serves a call; RequestError as Communicator::plan.
template <typename Call>
const Plan& plan_for(const Call& call, Communicator& communicator, const char* algorithm) {
  const Plan* plan = &communicator.plan(call.collective(), algorithm);
  if (plan->choice.native()) return *plan;
  if (!call.allows(plan->choice.algorithm->ordered, communicator.process().datatypes()))
    plan = &communicator.instead_of(*plan, call.allows(true, communicator.process().datatypes()));
  if (plan->root != call.root()) plan = &communicator.for_root(*plan, call.root());
  return *plan;
}

// `Executor` is an Execution, or a SizedExecution.
template <typename Call, typename Executor>
int run_schedule(const Call& call, Communicator& communicator, const Plan& plan,
                 Executor& executor) {
  if (int code = call.fault(communicator.rank(), communicator.size()); code != MPI_SUCCESS)
    return communicator.raise(code);
  executor.binding.reset();
  if (int code = call.bind(communicator.rank(), communicator.size(),
                           communicator.process().datatypes(), executor.binding);
      code != MPI_SUCCESS)
    return communicator.raise(code);
  if (call.empty(executor.binding)) return MPI_SUCCESS;
  executor.complete(plan);
  if (int code = communicator.make_private(); code != MPI_SUCCESS) return code;
  int code = executor.prepare(plan, communicator.private_comm(), communicator.rank(),
                              Communicator::blocking_tag);
  if (code == MPI_SUCCESS) code = executor.run(communicator.process());
  return communicator.raise(code);
}

template <typename Call>
int run_plan(const Call& call, MPI_Comm comm, Communicator& communicator, const Plan& plan) {
  if (plan.choice.native()) return call.native(comm);
  if (plan.sized) return run_schedule(call, communicator, plan, communicator.sized_workspace());
  return run_schedule(call, communicator, plan, communicator.workspace());
}

// Runs a collective to its end; `Call` is an Operation, whose type is known here so that short
// messages pay for no virtual call. `algorithm` null asks for what the environment says. Returns an
// MPI error code, after the communicator's error handler has had it. RequestError for an algorithm
// that is not there or cannot run.
template <typename Call>
int run(const Call& call, MPI_Comm comm, const char* algorithm) {
  Communicator* communicator = Communicator::of(comm);
  if (is_for_native(communicator)) return call.native(comm);
  const Plan& plan = plan_for(call, *communicator, algorithm);
  const bool reporting = communicator->process().reporting();
  const double started = reporting ? PMPI_Wtime() : 0;
  const int code = run_plan(call, comm, *communicator, plan);
  if (reporting && code == MPI_SUCCESS)
    communicator->count(plan, call.bytes(communicator->rank(), communicator->size()), started);
  return code;
}

// A nonblocking or persistent collective. It goes on while somebody waits or tests, for it or for
// another; see Process::progress.
class Request {
 public:
  // Binds the arguments; nothing is sent before start(). Persistent requests start many times.
  // Errors as run().
  static int make(std::unique_ptr<Operation> operation, MPI_Comm comm, const char* algorithm,
                  bool persistent, std::unique_ptr<Request>& made);
  ~Request();

  int start();
  int test(bool& done);
  int wait();
  // start() and wait() in one, as a blocking call.
  int run();
  // By whoever waits for another request. Leaves the request alone while its owner is at it.
  void try_progress();

  bool persistent() const { return persistent_; }
  bool active() const { return active_; }

 private:
  Request(std::unique_ptr<Operation> operation, MPI_Comm comm, bool persistent);

  int prepare_native();
  int prepare_schedule();
  int start_schedule();
  // Calls body with what runs the schedule.
  template <typename Body>
  auto with_executor(Body&& body) {
    return sized_ != nullptr ? body(*sized_) : body(execution_);
  }
  Binding& binding() { return sized_ != nullptr ? sized_->binding : execution_.binding; }
  void note_bytes();
  void go_on();  // as far as it can; the mutex is held
  int end();
  void count();  // the request is over: for the report

  bool is_native() const { return plan_ == nullptr || plan_->choice.native(); }

  std::unique_ptr<Operation> operation_;
  std::vector<OwnedDatatype> datatypes_;  // of the operation
  MPI_Comm comm_;
  MPI_Comm own_comm_ = MPI_COMM_NULL;  // for a persistent call that the MPI library serves
  bool persistent_;
  std::shared_ptr<Communicator> communicator_;  // null where the MPI library does it all
  std::shared_ptr<const Plan> plan_;
  bool empty_ = false;  // no data, as every rank can see
  int first_tag_ = 0;
  double started_ = 0;
  std::int64_t bytes_ = 0;

  std::mutex mutex_;  // guards what follows while the request is active
  Execution execution_;
  std::optional<BoundProgram> bound_;      // what run() comes to, after its first time
  std::unique_ptr<SizedExecution> sized_;  // instead, where the plan asks for it
  MPI_Request native_ = MPI_REQUEST_NULL;
  bool active_ = false;
  bool posted_ = false;  // the schedule has begun; before, the communicator is being duplicated
  bool done_ = false;
  int code_ = MPI_SUCCESS;
};

}  // namespace toccata
