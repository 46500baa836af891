#include "api/handles.h"

#include <utility>
#include <vector>

#include "mpi/communicator.h"
#include "mpi/info.h"
#include "mpi/reordering.h"

namespace toccata {

namespace {

// A nonblocking request ends with its handle; a persistent one stays.
void release_if_over(toccata_request& handle) {
  if (handle->request->persistent()) return;
  delete handle;
  handle = TOCCATA_REQUEST_NULL;
}

int refuse(const char* text) { return raise_error(MPI_COMM_WORLD, MPI_ERR_REQUEST, text); }

// Starts a persistent request by `start`, a member of Request.
int start_by(int (Request::*start)(), toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr || !(*request)->request->persistent())
      return refuse("only a persistent request can be started");
    if ((*request)->request->active())
      return refuse("the request is active; wait for it before the next start");
    return ((*request)->request.get()->*start)();
  });
}

}  // namespace

int make_request(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
                 toccata_request* handle) {
  return guarded(comm, [&]() -> int {
    if (handle == nullptr) return raise_error(comm, MPI_ERR_ARG, "request is NULL");
    *handle = TOCCATA_REQUEST_NULL;
    std::unique_ptr<Request> made;
    int code = Request::make(std::move(call), comm, algorithm, persistent, made);
    if (code == MPI_SUCCESS && !persistent) code = made->start();
    if (code == MPI_SUCCESS) *handle = new toccata_request_object{std::move(made)};
    return code;
  });
}

}  // namespace toccata

using namespace toccata;

extern "C" {

const char* toccata_version(void) { return TOCCATA_VERSION; }

int toccata_start(toccata_request* request) { return start_by(&Request::start, request); }

int toccata_run(toccata_request* request) { return start_by(&Request::run, request); }

int toccata_test(toccata_request* request, int* flag) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    *flag = 1;
    if (request == nullptr || *request == nullptr) return MPI_SUCCESS;
    bool done = false;
    const int code = (*request)->request->test(done);
    *flag = done ? 1 : 0;
    if (done) release_if_over(*request);
    return code;
  });
}

int toccata_wait(toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr) return MPI_SUCCESS;
    const int code = (*request)->request->wait();
    release_if_over(*request);
    return code;
  });
}

int toccata_waitall(int count, toccata_request requests[]) {
  int first_error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int code = toccata_wait(&requests[i]);
    if (first_error == MPI_SUCCESS) first_error = code;
  }
  return first_error;
}

int toccata_request_free(toccata_request* request) {
  return guarded(MPI_COMM_WORLD, [&]() -> int {
    if (request == nullptr || *request == nullptr) return MPI_SUCCESS;
    if ((*request)->request->active())
      return refuse("the request is active; wait for it before freeing it");
    delete *request;
    *request = TOCCATA_REQUEST_NULL;
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
    for (auto& [collective, choice] : asked) communicator->ask(*collective, std::move(choice));
    return MPI_SUCCESS;
  });
}

}  // extern "C"
