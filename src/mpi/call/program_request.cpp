#include "mpi/call/program_request.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/agreement/comms.h"
#include "mpi/call/wait_clock.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

// The persistent requests of the process by handle, and the tags of their receives.
struct Persistent {
  std::mutex mutex;
  std::unordered_map<MPI_Request, std::shared_ptr<ProgramRequest>> requests;
  std::vector<int> free_tags;
  int next_tag = 0;
};

Persistent& persistent() {
  static Persistent* const all = new Persistent;  // never destroyed, because MPI uses it at its end
  return *all;
}

// The communicator for messages from this rank to itself. Without sessions, it is created at the
// first call; MPI_COMM_NULL if that fails.
MPI_Comm own_communicator() {
  if (World::is_ours()) return World::self();
  static const MPI_Comm own = [] {
    MPI_Comm made = MPI_COMM_NULL;
    if (make_bare(MPI_COMM_SELF, made) == MPI_SUCCESS)
      PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
  }();
  return own;
}

}  // namespace

std::atomic<int> ProgramRequest::persistent_count{0};

// The program may free its operation while a call uses it; MPI does not notify libraries of that.
bool ProgramRequest::can_serve(const Operation& call, const Seat& seat,
                               Communicator& communicator) {
  return communicator.process().serves_requests() && communicator.size() > 1 &&
         communicator.facts().obey_rules && !call.runs_users_code() &&
         communicator.fault(call, seat, nullptr) == MPI_SUCCESS;
}

Server* ProgramRequest::usable(const Operation& call, Communicator& communicator, Server& decided,
                               Form form) {
  Server& server = communicator.able_to_serve(call, decided);
  if (server.is_native() || server.suits_blocking_calls_only()) return nullptr;
  const bool persistent = form == Form::persistent;
  if (!persistent && !communicator.can_start_channel()) return nullptr;
  if ((persistent ? communicator.open_channel() : communicator.start_channel()) != MPI_SUCCESS ||
      (communicator.has_met() && !communicator.channel().is_ready()))
    return nullptr;
  int turn = 0;
  return communicator.plan(server, call.root, turn)->tags() <= Channel::blocking_tags ? &server
                                                                                      : nullptr;
}

int ProgramRequest::make(std::unique_ptr<DrivenRequest> call, Communicator& communicator, Form form,
                         MPI_Request& handle, TimedStart timed) {
  const std::shared_ptr<ProgramRequest> made(new ProgramRequest);
  made->driven_ = std::move(call);
  if (timed.trials != nullptr) {
    if (timed.seconds == 0) timed.seconds = PMPI_Wtime();
    made->timed_ = timed;
    made->communicator_ = communicator.shared();
  }
  const bool persistent = form == Form::persistent;
  if (int code = persistent ? made->make_persistent() : made->make_single(); code != MPI_SUCCESS)
    return communicator.raise(code);
  handle = made->handle_;
  if (!persistent) made->start();
  return MPI_SUCCESS;
}

ProgramRequest::~ProgramRequest() {
  if (tag_ < 0) return;
  const std::lock_guard lock(persistent().mutex);
  persistent().free_tags.push_back(tag_);
}

// Other messages of MPI may use the lock of the tags, so no message is posted while it is held.
int ProgramRequest::take_tag() {
  self_ = own_communicator();
  if (self_ == MPI_COMM_NULL) return MPI_ERR_COMM;
  Persistent& all = persistent();
  const std::lock_guard lock(all.mutex);
  if (all.free_tags.empty()) {
    tag_ = all.next_tag++;
  } else {
    tag_ = all.free_tags.back();
    all.free_tags.pop_back();
  }
  return MPI_SUCCESS;
}

int ProgramRequest::make_single() {
  if (!our_mpi.mixes_generalized) {
    if (int code = take_tag(); code != MPI_SUCCESS) return code;
    return PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag_, self_, &handle_);
  }
  auto state = std::make_unique<std::shared_ptr<ProgramRequest>>(shared_from_this());
  const int code = PMPI_Grequest_start(answer, forget, refuse_to_cancel, state.get(), &handle_);
  if (code == MPI_SUCCESS) static_cast<void>(state.release());  // forget() deletes it
  return code;
}

int ProgramRequest::make_persistent() {
  if (int code = take_tag(); code != MPI_SUCCESS) return code;
  if (int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, self_, &handle_);
      code != MPI_SUCCESS)
    return code;
  Persistent& all = persistent();
  const std::lock_guard lock(all.mutex);
  all.requests[handle_] = shared_from_this();
  ++persistent_count;
  return MPI_SUCCESS;
}

void ProgramRequest::start() {
  Process& process = *Process::current();
  std::optional<WaitClock::Span> span;  // the start itself does not overlap with anything
  if (Settings::get().reporting()) span.emplace();
  under_way_ = shared_from_this();
  if (driven_->start_driven())
    left();
  else
    process.add(*this);
}

// The schedule has ended. As soon as the program learns that, it may free or start the request.
void ProgramRequest::left() {
  const std::shared_ptr<ProgramRequest> alive = std::move(under_way_);
  if (timed_.trials != nullptr) timed_.trials->ended(timed_.start, PMPI_Wtime() - timed_.seconds);
  if (tag_ < 0) {
    PMPI_Grequest_complete(handle_);
    return;
  }
  // After an error, a longer message is sent: the receive truncates it, and MPI_Wait reports an
  // error.
  if (driven_->code() != MPI_SUCCESS) driven_->raise();
  static char no_data = 0;
  MPI_Request sent = MPI_REQUEST_NULL;
  if (PMPI_Isend(&no_data, driven_->code() == MPI_SUCCESS ? 0 : 1, MPI_BYTE, 0, tag_, self_,
                 &sent) == MPI_SUCCESS)
    PMPI_Request_free(&sent);
}

int ProgramRequest::answer(void* state, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return (*static_cast<std::shared_ptr<ProgramRequest>*>(state))->driven_->code();
}

int ProgramRequest::forget(void* state) {
  delete static_cast<std::shared_ptr<ProgramRequest>*>(state);
  return MPI_SUCCESS;
}

void ProgramRequest::started(MPI_Request handle) {
  std::shared_ptr<ProgramRequest> found;
  {
    Persistent& all = persistent();
    const std::lock_guard lock(all.mutex);
    const auto known = all.requests.find(handle);
    if (known == all.requests.end()) return;
    found = known->second;
  }
  found->start();
}

bool ProgramRequest::is_open(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL || !ProgressHook::is_driving()) return false;
  if (are_persistent()) {
    Persistent& all = persistent();
    const std::lock_guard lock(all.mutex);
    if (all.requests.contains(handle)) return true;
  }
  Process* const process = Process::current();
  return process != nullptr && process->busy() && process->has(handle);
}

void ProgramRequest::freed(MPI_Request handle) {
  std::shared_ptr<ProgramRequest> last;  // destroyed last: its destructor takes the lock
  Persistent& all = persistent();
  const std::lock_guard lock(all.mutex);
  const auto known = all.requests.find(handle);
  if (known == all.requests.end()) return;
  last = std::move(known->second);
  all.requests.erase(known);
  --persistent_count;
}

}  // namespace toccata

#endif
