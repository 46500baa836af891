#include "mpi/call/request.h"

#include <algorithm>
#include <thread>

#include "mpi/agreement/comms.h"
#include "mpi/agreement/neighbors.h"
#include "mpi/call/wait_clock.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/execution/waiting.h"

namespace toccata {

Request::Request(std::unique_ptr<Call> call, MPI_Comm comm, bool persistent)
    : call_(std::move(call)), comm_(comm), persistent_(persistent) {}

int Request::make(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
                  std::unique_ptr<Request>& made) {
  if (call->operation().collective.among_neighbors) call->set_neighborhood(own_neighbors(comm));
  made.reset(new Request(std::move(call), comm, persistent));
  Communicator* communicator = Communicator::of(comm);
  if (communicator == nullptr || communicator->is_inter()) return made->prepare_native();
  made->communicator_ = communicator->shared();
  // Comes before any agreement, because the calls of other ranks may be valid.
  const Operation& operation = made->call_->operation();
  if (int code = communicator->fault(operation, communicator->seat(operation), algorithm);
      code != MPI_SUCCESS)
    return communicator->raise(code);
  Server& server = communicator->server_for(operation, algorithm);
  made->service_ = server.service;
  const bool native = server.is_native() || server.suits_blocking_calls_only();
  return native ? made->prepare_native() : made->prepare_schedule(server);
}

// The MPI library's persistent collectives may not exist. If they do, they may be started in any
// order and outlive the communicator. So a nonblocking one on a separate communicator replaces
// them.
int Request::prepare_native() {
  if (communicator_ != nullptr && !service_->choice.native())
    service_ = &communicator_->native_instead_of(*service_);
  if (!persistent_) return MPI_SUCCESS;
  const bool knows = communicator_ != nullptr;
  int rank = no_rank;
  if (knows || call_->operation().neighborhood != nullptr) PMPI_Comm_rank(comm_, &rank);
  const int p = peers_in(comm_);
  const Seat seat = rank == no_rank ? Seat{rank, p, p, p} : call_->operation().seat(rank, p);
  if (int code = call_->hold_datatypes(datatypes_, seat); code != MPI_SUCCESS) return code;
  if (Communicator* const known = Communicator::of(comm_)) {
    Exchange exchange = known->exchange();
    if (!exchange.may_make_communicators()) {
      known->say_once(
          "MPI_Comm_idup was called on a communicator, so the MPI library cannot serve its "
          "persistent collectives. Create them before MPI_Comm_idup, or on a copy of the "
          "communicator.");
      return known->raise(MPI_ERR_COMM);
    }
    // Other ranks may still be in nonblocking calls that need this one.
    if (int code = exchange.barrier(); code != MPI_SUCCESS) return code;
  }
  if (int code = make_bare(comm_, own_comm_); code != MPI_SUCCESS) return code;
  if (call_->operation().neighborhood != nullptr) {
    int code = MPI_SUCCESS;
    on_roomy_stack([&] { code = give_topology(comm_, own_comm_); });
    if (code != MPI_SUCCESS) return code;
  }
  comm_ = own_comm_;
  return MPI_SUCCESS;
}

int Request::prepare_schedule(Server& server) {
  Communicator& communicator = *communicator_;
  if (!persistent_ && !communicator.can_start_channel()) return prepare_native();
  if (int code = persistent_ ? communicator.open_channel() : communicator.start_channel();
      code != MPI_SUCCESS)
    return code;
  if (communicator.has_met() && !communicator.channel().is_ready()) return prepare_native();
  return prepare_on_channel(server);
}

int Request::make_driven(std::unique_ptr<Call> call, Communicator& communicator, Server& server,
                         const Service* service, bool persistent, std::unique_ptr<Request>& made,
                         Lane lane) {
  made.reset(new Request(std::move(call), communicator.user(), persistent));
  made->communicator_ = communicator.shared();
  made->service_ = service;
  made->ticket_.tag = lane.tag;
  made->separate_ = std::move(lane.channel);
  made->is_driven_ = true;
  return made->prepare_on_channel(server);
}

// Takes tags first, because all ranks must count them, even if a later step fails on one. If that
// call publishes, the other ranks wait for this one, and later calls on the board wait, too.
int Request::prepare_on_channel(Server& server) {
  Communicator& communicator = *communicator_;
  plan_ = communicator.plan(server, call_->operation().root, turn_);
  const bool publishes = server.service->choice.publishes();
  if (!persistent_) {
    ticket_ = communicator.channel().take_tags(plan_->tags());
  } else if (ticket_.tag < 0) {
    Lane lane = Lane::open(communicator, plan_->tags(), publishes);
    if (lane.tag < 0) return communicator.raise(MPI_ERR_COMM);
    ticket_.tag = lane.tag;
    separate_ = std::move(lane.channel);
  }
  channel_ = separate_ != nullptr ? separate_.get() : &communicator.channel();
  publishes_ = publishes && (!persistent_ || separate_ != nullptr);
  if (plan_->sized)
    engine_ = std::make_unique<SizedExecution>();
  else
    engine_ = communicator.process().workspaces().take();
  engine_->binding.reset();
  const int code = bind();
  return code == MPI_SUCCESS ? code : communicator.raise(code);
}

// Persistent requests start in any order, which may differ between ranks, and a board needs one
// order. So each of them that publishes blocks has a board of its own.
Lane Lane::open(Communicator& communicator, int tags, bool publishes) {
  if (publishes && communicator.channel().all_share_memory())
    if (auto separate = communicator.open_separate_channel())
      return {Channel::blocking_tag, std::move(separate)};
  const int tag = communicator.channel().take_persistent_tags(tags);
  if (tag >= 0) return {tag};
  Communicator::end_era();  // blocking calls must find the new channel
  if (communicator.open_next_channel() != MPI_SUCCESS) return {};
  return {communicator.channel().take_persistent_tags(tags)};
}

// Each start of a call on a board has the next number there.
Transport Request::transport() const {
  // The rounds of a nonblocking call may last as long as the program computes.
  return publishes_ ? Transport::with_board(channel_->route(), ticket_.tag, turn_, persistent_)
                    : Transport(channel_->route(), ticket_.tag, turn_);
}

int Request::bind() {
  const Seat seat = communicator_->seat(call_->operation());
  if (int code = call_->hold_datatypes(datatypes_, seat); code != MPI_SUCCESS) return code;
  Operation call = call_->operation();
  const DatatypeTable& datatypes = communicator_->process().datatypes();
  if (has_device_runtime())
    if (const Places places(call, seat, datatypes); places.any())
      if (int code = staging_.replace(call, seat, datatypes, *plan_, places); code != MPI_SUCCESS)
        return code;
  if (int code = call.bind(seat, datatypes, engine_->binding); code != MPI_SUCCESS) return code;
  engine_->binding.devices = staging_.direct();
  empty_ = call.empty(engine_->binding);
  engine_->fit(*plan_);
  return MPI_SUCCESS;
}

Request::~Request() {
  if (active_) wait();
  if (engine_ != nullptr && code_ == MPI_SUCCESS && !plan_->sized && !communicator_->is_closed())
    communicator_->process().workspaces().give_back(
        std::unique_ptr<Execution>(static_cast<Execution*>(engine_.release())));
  if (separate_ != nullptr && communicator_->is_closed()) separate_->forget();
  if (own_comm_ != MPI_COMM_NULL && Process::current() != nullptr) PMPI_Comm_free(&own_comm_);
}

int Request::start() {
  if (has_schedule()) {
    begin();
    communicator_->process().add(*this);
    return MPI_SUCCESS;
  }
  started_ = PMPI_Wtime();
  const int code = call_->start_native(comm_, &native_);
  active_ = code == MPI_SUCCESS;
  if (active_) note_bytes();
  return code;
}

bool Request::start_driven() {
  begin();
  return done_ && end_driven();
}

// No other thread advances it yet.
void Request::begin() {
  started_ = PMPI_Wtime();
  done_ = posted_ = false;
  code_ = MPI_SUCCESS;
  note_bytes();
  if (!persistent_) channel_->enter(ticket_, publishes_);
  copied_ = staging_.copy_in();
  active_ = true;
  go_on();
}

bool Request::try_driven() {
  go_on();
  return done_ && end_driven();
}

bool Request::end_driven() {
  if (code_ != MPI_SUCCESS) channel_->spoil();
  if (copied_ == MPI_SUCCESS) copied_ = staging_.copy_out();
  if (code_ == MPI_SUCCESS) code_ = copied_;
  count();
  return true;
}

// Called while the datatypes still exist.
void Request::note_bytes() {
  if (communicator_ == nullptr || !Settings::get().reporting()) return;
  const Operation& call = call_->operation();
  bytes_ = call.bytes(communicator_->seat(call));
  waited_ = WaitClock::seconds();
}

void Request::go_on() {
  if (done_) return;
  if (!channel_->is_settled()) code_ = communicator_->test_channel(*channel_);
  Mailbox* const mailbox = channel_->mailbox();
  const Mailbox::Visit visit(mailbox);
  if (!visit.is_permitted()) return;
  if (code_ == MPI_SUCCESS && mailbox != nullptr) {
    code_ = mailbox->progress();
    if (code_ != MPI_SUCCESS && posted_) engine_->give_up(code_);
  }
  if (!posted_) {
    posted_ = channel_->is_settled() && (persistent_ || channel_->may_begin(ticket_));
    if (code_ == MPI_SUCCESS && posted_) {
      if (!channel_->carries_begun_calls()) code_ = MPI_ERR_COMM;
      if (code_ == MPI_SUCCESS && !empty_) code_ = engine_->prepare(*plan_, transport());
      if (code_ == MPI_SUCCESS && !empty_) code_ = engine_->start();
      if (empty_) done_ = true;
    }
  }
  if (code_ == MPI_SUCCESS && posted_ && !done_) code_ = engine_->test(done_);
  if (code_ != MPI_SUCCESS) done_ = true;
  // Not only when the program asks: later calls wait for this one, and the program may ask for
  // these first.
  if (done_ && !persistent_) channel_->leave(ticket_);
}

bool Request::try_progress() {
  if (at_it_) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) go_on();
  return false;  // the owner removes it from the list
}

int Request::test(bool& done) {
  done = true;
  if (!active_) return MPI_SUCCESS;
  if (!has_schedule()) {
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
    at_it_ = true;
    go_on();
    at_it_ = false;
    done = done_;
  }
  if (!done && publishes_ && channel_->is_ready()) Waiting::advance(channel_->route().comm);
  if (!done) return MPI_SUCCESS;
  communicator_->process().remove(*this);
  end_driven();
  return communicator_->raise(code_);
}

int Request::wait() {
  const Process* process = Process::current();
  if (active_ && !has_schedule() && (process == nullptr || !process->busy())) {
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
  if (bound_ && !communicator_->process().busy()) {
    code_ = bound_->run();
    if (code_ != MPI_SUCCESS) channel_->spoil();
    return communicator_->raise(code_);
  }
  if (!has_schedule()) {
    const int code = start();
    return code == MPI_SUCCESS ? wait() : code;
  }
  Process& process = communicator_->process();
  started_ = PMPI_Wtime();
  note_bytes();
  code_ = MPI_SUCCESS;
  copied_ = staging_.copy_in();
  if (!empty_) {
    code_ = engine_->prepare(*plan_, transport());
    if (code_ == MPI_SUCCESS) code_ = engine_->run(process);
  }
  end_driven();
  const Binding& binding = engine_->binding;
  const bool can_bind = code_ == MPI_SUCCESS && !publishes_ && !staging_.any() && plan_->straight &&
                        !plan_->sized && !plan_->straight->uses_scratch() &&
                        !binding.has_stand_ins() && plan_->straight->serves(binding);
  // With a report, every call has to be counted.
  if (can_bind && !Settings::get().reporting())
    bound_ = plan_->straight->bind(binding, transport());
  return communicator_->raise(code_);
}

void Request::count() {
  active_ = false;
  if (communicator_ == nullptr || service_ == nullptr || !Settings::get().reporting()) return;
  // A toccata_request is counted with blocking calls.
  const Form form = !is_driven_   ? Form::blocking
                    : persistent_ ? Form::persistent
                                  : Form::nonblocking;
  const double seconds = PMPI_Wtime() - started_;
  // Our own waiting functions do not use this clock.
  const double outside =
      is_driven_ ? std::clamp(seconds - (WaitClock::seconds() - waited_), 0.0, seconds) : 0;
  communicator_->count(*service_, form, bytes_, seconds, outside);
}

}  // namespace toccata
