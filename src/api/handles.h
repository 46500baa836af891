#pragma once

#include <memory>

#include "api/guard.h"
#include "mpi/request.h"
#include "toccata/toccata.h"

// A handle is a Request by another name.
struct toccata_request_object {
  std::unique_ptr<toccata::Request> request;
  // What toccata_testall found out of a request that ended before the others, until it is told.
  bool ended = false;
  int code = MPI_SUCCESS;
};

namespace toccata {

// What all nonblocking and persistent calls do.
int make_request(std::unique_ptr<Call> call, MPI_Comm comm, const char* algorithm, bool persistent,
                 toccata_request* handle);

}  // namespace toccata
