#pragma once

#include "mpi/communicator/communicator.h"

namespace toccata {

// A nonblocking collective, or a start of a persistent one. Its owner advances it. Never waits.
class DrivenRequest {
 public:
  virtual ~DrivenRequest() = default;
  // start_driven() starts it, try_driven() advances it as far as possible. Both return whether it
  // has ended: code() is then its result, which no error handler has received yet.
  virtual bool start_driven() = 0;
  virtual bool try_driven() = 0;
  int code() const { return code_; }
  // Passes the result to the communicator's error handler.
  void raise() const { communicator_->raise(code_); }

 protected:
  std::shared_ptr<Communicator> communicator_;  // null if the MPI library serves the whole call
  int code_ = MPI_SUCCESS;
};

}  // namespace toccata
