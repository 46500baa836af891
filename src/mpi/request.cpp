#include "mpi/request.h"

#include <thread>

namespace toccata {

Request::Request(std::unique_ptr<Operation> operation, MPI_Comm comm, bool persistent)
    : operation_(std::move(operation)), comm_(comm), persistent_(persistent) {}

int Request::make(std::unique_ptr<Operation> operation, MPI_Comm comm, const char* algorithm,
                  bool persistent, std::unique_ptr<Request>& made) {
  made.reset(new Request(std::move(operation), comm, persistent));
  Communicator* communicator = Communicator::of(comm);
  if (!is_for_native(communicator)) {
    made->plan_ = plan_for(*made->operation_, *communicator, algorithm).shared_from_this();
    made->communicator_ = communicator->shared_from_this();
  }
  return made->is_native() ? made->prepare_native() : made->prepare_schedule();
}

// The MPI library's persistent collectives may be started in any order and outlive the
// communicator, or may not be there. A nonblocking one on a communicator of its own is as good.
int Request::prepare_native() {
  if (!persistent_) return MPI_SUCCESS;
  const int rank = communicator_ != nullptr ? communicator_->rank() : no_rank;
  if (communicator_ != nullptr)
    if (int code = operation_->fault(communicator_->rank(), communicator_->size());
        code != MPI_SUCCESS)
      return communicator_->raise(code);
  if (int code = operation_->hold_datatypes(datatypes_, rank, peers_in(comm_)); code != MPI_SUCCESS)
    return code;
  // What else is under way goes on: others may wait for it before they come here. Of one
  // communicator Open MPI makes no two duplicates at a time.
  if (communicator_ != nullptr)
    if (int code = communicator_->end_duplicating(); code != MPI_SUCCESS) return code;
  MPI_Request duplicating;
  int code = PMPI_Comm_idup(comm_, &own_comm_, &duplicating);
  for (int done = 0; code == MPI_SUCCESS && done == 0;) {
    code = PMPI_Test(&duplicating, &done, MPI_STATUS_IGNORE);
    if (done != 0 || communicator_ == nullptr) continue;
    communicator_->process().progress();
    std::this_thread::yield();
  }
  if (code == MPI_SUCCESS) comm_ = own_comm_;
  return code;
}

int Request::prepare_schedule() {
  Communicator& communicator = *communicator_;
  if (int code = operation_->fault(communicator.rank(), communicator.size()); code != MPI_SUCCESS)
    return communicator.raise(code);
  if (int code = communicator.start_private(); code != MPI_SUCCESS) return code;
  if (plan_->sized) sized_ = std::make_unique<SizedExecution>();
  int code = operation_->hold_datatypes(datatypes_, communicator.rank(), communicator.size());
  if (code == MPI_SUCCESS)
    code = operation_->bind(communicator.rank(), communicator.size(),
                            communicator.process().datatypes(), binding());
  if (code != MPI_SUCCESS) return communicator.raise(code);
  empty_ = operation_->empty(binding());
  with_executor([&](auto& executor) { executor.complete(*plan_); });
  const int tags = plan_->tags();
  first_tag_ = persistent_ ? communicator.take_persistent_tags(tags) : communicator.take_tags(tags);
  return MPI_SUCCESS;
}

Request::~Request() {
  if (active_) wait();
  if (own_comm_ != MPI_COMM_NULL) PMPI_Comm_free(&own_comm_);
}

int Request::start() {
  started_ = PMPI_Wtime();
  done_ = posted_ = false;
  code_ = MPI_SUCCESS;
  if (is_native()) {
    const int code = operation_->native_nonblocking(comm_, &native_);
    active_ = code == MPI_SUCCESS;
    if (active_) note_bytes();
    return code;
  }
  note_bytes();
  {
    const std::lock_guard lock(mutex_);
    active_ = true;
    go_on();
  }
  communicator_->process().add(*this);
  return MPI_SUCCESS;
}

// While the datatypes are still there.
void Request::note_bytes() {
  if (plan_ != nullptr && communicator_->process().reporting())
    bytes_ = operation_->bytes(communicator_->rank(), communicator_->size());
}

int Request::start_schedule() {
  if (empty_) {
    done_ = true;
    return MPI_SUCCESS;
  }
  return with_executor([&](auto& executor) {
    const int code =
        executor.prepare(*plan_, communicator_->private_comm(), communicator_->rank(), first_tag_);
    return code == MPI_SUCCESS ? executor.start() : code;
  });
}

void Request::go_on() {
  if (done_) return;
  if (!posted_) {
    code_ = communicator_->test_private(posted_);
    if (code_ == MPI_SUCCESS && posted_) code_ = start_schedule();
  }
  if (code_ == MPI_SUCCESS && posted_ && !done_)
    code_ = with_executor([&](auto& executor) { return executor.test(done_); });
  if (code_ != MPI_SUCCESS) done_ = true;
}

void Request::try_progress() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) go_on();
}

int Request::test(bool& done) {
  done = true;
  if (!active_) return MPI_SUCCESS;
  if (is_native()) {
    int flag = 0;
    const int code = PMPI_Test(&native_, &flag, MPI_STATUS_IGNORE);
    done = flag != 0 || code != MPI_SUCCESS;
    if (done)
      count();
    else if (Process* process = Process::current())
      process->progress();
    return code;
  }
  communicator_->process().progress();
  {
    const std::lock_guard lock(mutex_);
    go_on();
    done = done_;
  }
  return done ? end() : MPI_SUCCESS;
}

int Request::wait() {
  const Process* process = Process::current();
  if (active_ && is_native() && (process == nullptr || !process->busy())) {
    const int code = PMPI_Wait(&native_, MPI_STATUS_IGNORE);
    count();
    return code;
  }
  while (true) {
    bool done;
    const int code = test(done);
    if (done) return code;
    std::this_thread::yield();
  }
}

int Request::run() {
  if (bound_ && !communicator_->process().busy()) return communicator_->raise(bound_->run());
  if (is_native()) {
    const int code = start();
    return code == MPI_SUCCESS ? wait() : code;
  }
  Process& process = communicator_->process();
  started_ = PMPI_Wtime();
  note_bytes();
  code_ = communicator_->make_private();
  if (code_ == MPI_SUCCESS && !empty_)
    code_ = with_executor([&](auto& executor) {
      const int code = executor.prepare(*plan_, communicator_->private_comm(),
                                        communicator_->rank(), first_tag_);
      return code == MPI_SUCCESS ? executor.run(process) : code;
    });
  const bool can_bind = code_ == MPI_SUCCESS && plan_->straight && sized_ == nullptr &&
                        !plan_->straight->uses_scratch() && !binding().has_stand_ins() &&
                        plan_->straight->serves(binding());
  if (process.reporting())
    count();  // which every call has to come here for
  else if (can_bind)
    bound_ = plan_->straight->bind(binding(), communicator_->private_comm(), first_tag_);
  return communicator_->raise(code_);
}

int Request::end() {
  communicator_->process().remove(*this);
  count();
  return communicator_->raise(code_);
}

void Request::count() {
  active_ = false;
  if (plan_ != nullptr && communicator_->process().reporting())
    communicator_->count(*plan_, bytes_, started_);
}

}  // namespace toccata
