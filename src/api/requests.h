#pragma once

#include <memory>

#include "api/guard.h"
#include "mpi/request.h"
#include "toccata/toccata.h"

// A handle is a Request by another name.
struct toccata_request_object {
  std::unique_ptr<toccata::Request> request;
};

namespace toccata {

// What all nonblocking and persistent calls do with the operation that their arguments make.
template <typename Call, typename... Arguments>
int make_request(MPI_Comm comm, const char* algorithm, bool persistent, toccata_request* handle,
                 Arguments... arguments) {
  return guarded(comm, [&] {
    if (handle == nullptr) return raise_error(comm, MPI_ERR_ARG, "request is NULL");
    *handle = TOCCATA_REQUEST_NULL;
    std::unique_ptr<Request> made;
    int code =
        Request::make(std::make_unique<Call>(arguments...), comm, algorithm, persistent, made);
    if (code == MPI_SUCCESS && !persistent) code = made->start();
    if (code == MPI_SUCCESS) *handle = new toccata_request_object{std::move(made)};
    return code;
  });
}

}  // namespace toccata
