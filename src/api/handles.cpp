#include "api/handles.h"

#include <thread>
#include <utility>
#include <vector>

#include "mpi/communicator/communicator.h"
#include "mpi/communicator/topologies.h"
#include "mpi/settings/info.h"

namespace toccata {

namespace {

bool is_active(toccata_request handle) {
  return handle != nullptr && (handle->ended || handle->request->active());
}

// The code of a request that has ended. A nonblocking request ends with its handle; a persistent
// one becomes inactive.
int conclude(toccata_request& handle) {
  const int code = std::exchange(handle->code, MPI_SUCCESS);
  handle->ended = false;
  if (!handle->request->persistent()) delete std::exchange(handle, TOCCATA_REQUEST_NULL);
  return code;
}

// Whether an active request has ended; its code is kept for conclude().
bool has_ended(toccata_request handle) {
  if (!handle->ended) handle->code = handle->request->test(handle->ended);
  return handle->ended;
}

int refuse(const char* text) { return raise_error(MPI_COMM_WORLD, MPI_ERR_REQUEST, text); }

// Starts a persistent request by `start`, a member of Request.
int start_by(int (Request::*start)(), toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr || !(*request)->request->persistent())
      return refuse("only a persistent request can be started");
    if (is_active(*request))
      return refuse("the request is active; wait for it before the next start");
    return ((*request)->request.get()->*start)();
  });
}

int make(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
         toccata_request* handle) {
  if (handle == nullptr) return raise_error(comm, MPI_ERR_ARG, "request is NULL");
  *handle = TOCCATA_REQUEST_NULL;
  std::unique_ptr<Request> made;
  int code = Request::make(std::move(call), comm, algorithm, persistent, made);
  if (code == MPI_SUCCESS && !persistent) code = made->start();
  if (code == MPI_SUCCESS) *handle = new toccata_request_object{.request = std::move(made)};
  return code;
}

}  // namespace

int make_request(const Operation& call, Call::Start start, MPI_Comm comm, const char* algorithm,
                 bool persistent, toccata_request* handle) {
  return guarded_collective(comm, [&] {
    auto copy = std::make_unique<Call>(call, start);
    return guarded(comm,
                   [&] { return make(std::move(copy), comm, algorithm, persistent, handle); });
  });
}

}  // namespace toccata

using namespace toccata;

extern "C" {

const char* toccata_version(void) { return TOCCATA_VERSION; }

int toccata_start(toccata_request* request) { return start_by(&Request::start, request); }

int toccata_run(toccata_request* request) { return start_by(&Request::run, request); }

int toccata_test(toccata_request* request, int* flag) {
  int index = 0;
  return toccata_testany(request == nullptr ? 0 : 1, request, &index, flag);
}

int toccata_wait(toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr) return MPI_SUCCESS;
    if (!(*request)->ended) (*request)->code = (*request)->request->wait();
    return conclude(*request);
  });
}

int toccata_waitall(int count, toccata_request requests[]) {
  return toccata_waitall_codes(count, requests, nullptr);
}

int toccata_waitall_codes(int count, toccata_request requests[], int codes[]) {
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    const int code = toccata_wait(&requests[i]);
    failed = failed || code != MPI_SUCCESS;
    if (codes != nullptr) codes[i] = code;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int toccata_testall(int count, toccata_request requests[], int* flag, int codes[]) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    *flag = 1;
    for (int i = 0; i < count; ++i)  // all of them, because this advances each one
      if (is_active(requests[i]) && !has_ended(requests[i])) *flag = 0;
    return *flag != 0 ? toccata_waitall_codes(count, requests, codes) : MPI_SUCCESS;
  });
}

int toccata_testany(int count, toccata_request requests[], int* index, int* flag) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    *index = MPI_UNDEFINED;
    *flag = 1;
    for (int i = 0; i < count; ++i) {
      if (!is_active(requests[i])) continue;
      *flag = has_ended(requests[i]) ? 1 : 0;
      if (*flag == 0) continue;
      *index = i;
      return conclude(requests[i]);
    }
    return MPI_SUCCESS;
  });
}

int toccata_waitany(int count, toccata_request requests[], int* index) {
  while (true) {
    int flag = 0;
    const int code = toccata_testany(count, requests, index, &flag);
    if (flag != 0 || code != MPI_SUCCESS) return code;
    std::this_thread::yield();
  }
}

int toccata_request_free(toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr) return MPI_SUCCESS;
    if (is_active(*request)) return refuse("the request is active; wait for it before freeing it");
    delete std::exchange(*request, TOCCATA_REQUEST_NULL);
    return MPI_SUCCESS;
  });
}

int toccata_comm_reorder(MPI_Comm comm, const char* pattern, MPI_Info info, MPI_Comm* newcomm) {
  return guarded(comm, [&]() -> int {
    if (newcomm == nullptr || pattern == nullptr)
      return raise_error(comm, MPI_ERR_ARG, "pattern or newcomm is NULL");
    ReorderWish wish{.how = Reorder::automatic};
    read_info(info, wish);
    return wish.how == Reorder::off ? PMPI_Comm_dup(comm, newcomm)
                                    : reordered(comm, pattern, *newcomm);
  });
}

int toccata_comm_set_info(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, [&]() -> int {
    Communicator* const communicator = Communicator::of(comm);
    if (communicator == nullptr) return MPI_SUCCESS;
    ReorderWish wish = communicator->reorder_wish();
    read_info(info, wish);
    std::vector<std::pair<const Collective*, SizedChoice>> asked;
    for (const Collective* each : collectives())
      if (auto choice = asked_in(info, *each)) asked.emplace_back(each, std::move(*choice));
    communicator->reorder_wish() = wish;
    if (std::string weights = cart_weights_in(info); !weights.empty())
      communicator->set_cart_weights(std::move(weights));
    for (auto& [collective, choice] : asked) communicator->ask(*collective, std::move(choice));
    return MPI_SUCCESS;
  });
}

}  // extern "C"
