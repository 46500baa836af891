#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "mpi/data/datatype.h"
#include "mpi/data/operation.h"

namespace toccata {

// A stored call of one of MPI's functions: the operation that its arguments describe, and the
// native way to serve it.
class Call {
 public:
  // Makes the same call as a nonblocking one of MPI (mpi/call/functions.h).
  using Start = int (*)(const Operation& call, MPI_Comm comm, MPI_Request* request);

  Call(const Operation& operation, Start start) : operation_(operation), start_(start) {}
  Call(const Call&) = delete;  // own arrays have an address

  const Operation& operation() const { return operation_; }
  // Call this for a neighbourhood call whose operation has no neighbours yet.
  void set_neighborhood(std::shared_ptr<const Neighborhood> neighborhood) {
    operation_.neighborhood = std::move(neighborhood);
  }
  int start_native(MPI_Comm comm, MPI_Request* request) const {
    return start_(operation_, comm, request);
  }
  // Keeps the datatypes as long as `held` lives, even if the user frees the handles. In an
  // intercommunicator, the seat's rank is no_rank, and p is the number of ranks in the other group.
  int hold_datatypes(std::vector<OwnedDatatype>& held, const Seat& seat);

 private:
  Operation operation_;
  Start start_;
  // Copies of the user's arrays, which the user may change or free.
  std::vector<MPI_Datatype> own_types_in_, own_types_out_;
};

}  // namespace toccata
