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

// A nonblocking call, or a persistent one.
int make_request(const Operation& call, Call::Start start, MPI_Comm comm, const char* algorithm,
                 bool persistent, toccata_request* handle);

}  // namespace toccata
