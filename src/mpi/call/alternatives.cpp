#include "mpi/call/alternatives.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include <algorithm>
#include <array>
#include <mutex>

#include "mpi/call/functions.h"
#include "mpi/call/wait_clock.h"

namespace toccata {

// The state that outlives the request, until a pending exchange has ended.
struct Alternatives::Deciding {
  std::shared_ptr<Communicator> communicator;
  std::mutex mutex;  // guards the members below; no function of MPI is called while it is held
  std::unique_ptr<Decision> decision;
  OpenTrials* trials = nullptr;  // of the decision
  std::size_t ballot = 0;        // its numbers
  std::int64_t concluded = 0;    // trials that the report contains

  std::optional<OpenTrials::Start> start() {
    const auto result = trials->start();
    if (concluded != trials->concluded()) {
      concluded = trials->concluded();
      decision->conclude();
      decision->tell();
    }
    return result;
  }
};

// Finds the minimum of each number of a ballot, by our own persistent allreduce. Other requests
// advance it.
class Alternatives::Exchange final : public UnderWay,
                                     public std::enable_shared_from_this<Exchange> {
 public:
  explicit Exchange(std::shared_ptr<Deciding> deciding) : deciding_(std::move(deciding)) {}

  int make(Server& server, const Lane& lane) {
    const Operation minimum = operations::allreduce(
        mine_.data(), least_.data(), static_cast<int>(numbers), MPI_DOUBLE, MPI_MIN, MPI_COMM_NULL);
    auto call = std::make_unique<Call>(minimum, &starts::allreduce);
    return Request::make_driven(std::move(call), *deciding_->communicator, server, nullptr, true,
                                request_, lane);
  }
  void start(const std::vector<double>& ballot) {
    std::ranges::fill(mine_, 0);
    std::ranges::copy(ballot, mine_.begin());
    Process& process = deciding_->communicator->process();
    under_way_ = shared_from_this();
    if (request_->start_driven())
      left();
    else
      process.add(*this);
  }
  bool try_progress() override { return request_->try_driven(); }
  // If this failed, the communicator is broken, and the trial has no result.
  void left() override {
    const std::shared_ptr<Exchange> alive = std::move(under_way_);
    const std::lock_guard lock(deciding_->mutex);
    const std::size_t size = deciding_->ballot;
    if (request_->code() != MPI_SUCCESS) least_[size - 1] = 0;
    deciding_->trials->agree(std::span(least_).first(size));
  }

 private:
  static constexpr std::size_t numbers = 40;  // of a ballot, at most; one exchange of times

  std::shared_ptr<Deciding> deciding_;
  std::array<double, numbers> mine_ = {}, least_ = {};
  std::unique_ptr<Request> request_;
  std::shared_ptr<Exchange> under_way_;
};

std::unique_ptr<Alternatives> Alternatives::make(std::unique_ptr<Decision> decision,
                                                 Call::Start start_native,
                                                 Communicator& communicator, const Operation& call,
                                                 MPI_Request native) {
  if (communicator.open_channel() != MPI_SUCCESS || !communicator.channel().is_ready()) return {};
  std::vector<Server*> servers;
  int tags = 0, turn = 0;
  for (int i = 0; i < decision->candidates(); ++i) {
    Server& server = communicator.able_to_serve(call, decision->server(i));
    servers.push_back(&server);
    if (server.is_native()) continue;
    tags = std::max(tags, communicator.plan(server, call.root, turn)->tags());
  }
  Server& agreeing = communicator.server(allreduce, "recursive_doubling");
  const int own_tags = communicator.plan(agreeing, 0, turn)->tags();
  if (tags == 0 || tags > Channel::blocking_tags) return {};
  const Lane lane = Lane::open(communicator, tags + own_tags, false);
  if (lane.tag < 0) return {};

  std::unique_ptr<Alternatives> made(new Alternatives);
  made->communicator_ = communicator.shared();
  int code = MPI_SUCCESS;
  for (Server* const server : servers) {
    auto& request = made->requests_.emplace_back();
    if (server->is_native()) continue;
    if (code == MPI_SUCCESS)
      code = Request::make_driven(std::make_unique<Call>(call, start_native), communicator, *server,
                                  server->service, true, request, lane);
  }
  made->deciding_ = std::make_shared<Deciding>();
  made->deciding_->communicator = communicator.shared();
  made->deciding_->trials = decision->open_trials();
  made->deciding_->decision = std::move(decision);
  made->exchange_ = std::make_shared<Exchange>(made->deciding_);
  if (code == MPI_SUCCESS) code = made->exchange_->make(agreeing, {lane.tag + tags, lane.channel});
  // All ranks agree, because one rank alone may fail, for example without memory.
  if (!communicator.agree(code == MPI_SUCCESS)) return {};
  if (Settings::get().reporting()) made->bytes_ = call.bytes(communicator.seat(call));
  made->native_ = native;
  return made;
}

Alternatives::~Alternatives() {
  if (native_ != MPI_REQUEST_NULL && Process::current() != nullptr) PMPI_Request_free(&native_);
}

bool Alternatives::start_driven() {
  code_ = MPI_SUCCESS;
  std::vector<double> ballot;
  {
    const std::lock_guard lock(deciding_->mutex);
    if (deciding_->trials->is_due()) {
      ballot = deciding_->trials->ballot();
      deciding_->ballot = ballot.size();
    }
    start_ = deciding_->start();
  }
  if (!ballot.empty()) exchange_->start(ballot);
  return start_ && begin();
}

bool Alternatives::try_driven() {
  if (start_) {
    Request* const request = requests_[start_->candidate].get();
    if (request != nullptr) return go_on(request->try_driven());
    bool ended = false;
    code_ = Polling::test(native_, ended);
    return go_on(ended);
  }
  {
    const std::lock_guard lock(deciding_->mutex);
    start_ = deciding_->start();
  }
  return start_ && begin();
}

bool Alternatives::begin() {
  begun_ = PMPI_Wtime();
  if (Settings::get().reporting()) waited_ = WaitClock::seconds();
  if (Request* const request = requests_[start_->candidate].get())
    return go_on(request->start_driven());
  code_ = PMPI_Start(&native_);
  return code_ == MPI_SUCCESS ? try_driven() : go_on(true);
}

bool Alternatives::go_on(bool ended) {
  if (!ended) return false;
  if (Request* const request = requests_[start_->candidate].get())
    code_ = request->code();
  else
    count();
  if (start_->timed) {
    const std::lock_guard lock(deciding_->mutex);
    deciding_->trials->ended(*start_, PMPI_Wtime() - begun_);
  }
  return true;
}

// Only for native: the other candidates count their calls themselves.
void Alternatives::count() const {
  const Service& native = *deciding_->decision->server(0).service;
  const double seconds = PMPI_Wtime() - begun_;
  communicator_->count(native, Form::persistent, bytes_, seconds,
                       std::clamp(seconds - (WaitClock::seconds() - waited_), 0.0, seconds));
}

}  // namespace toccata

#endif
