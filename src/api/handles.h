#pragma once

#include <memory>

#include "api/guard.h"
#include "mpi/call/request.h"
#include "toccata/toccata.h"

// A handle is a Request with another name.
struct toccata_request_object {
  std::unique_ptr<toccata::Request> request;
  // Set by toccata_testall for a request that ended before the others, until toccata_testall
  // reports the end of all.
  bool ended = false;
  int code = MPI_SUCCESS;
};

namespace toccata {

// The common part of all nonblocking and persistent calls.
int make_request(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
                 toccata_request* handle);

}  // namespace toccata
