#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mpi/agreement/agreement.h"
#include "mpi/execution/transport.h"
#include "mpi/libraries/background.h"

namespace toccata {

// This library's own collectives on a communicator of the program. Each waits for the other ranks,
// and advances `background` meanwhile. All functions return MPI error codes.
//
// MPI_Comm_idup of Open MPI consists of nonblocking collectives on the program's communicator, and
// begins them at times that differ between ranks. A nonblocking collective of ours would be matched
// with one of these. So after a call of MPI_Comm_idup, ours is `blocking`, and no communicator may
// be made of the program's.
class Exchange {
 public:
  Exchange(MPI_Comm comm, Background& background, bool blocking)
      : comm_(comm), background_(background), blocking_(blocking) {}

  template <typename Number>
  int agree(std::span<const Number> mine, std::span<Number> agreed) {
    return run([&](MPI_Request& request) {
      return start_agreement(mine, agreed, comm_, request, blocking_);
    });
  }
  int barrier() {
    return blocking_ ? PMPI_Barrier(comm_)
                     : run([&](MPI_Request& request) { return PMPI_Ibarrier(comm_, &request); });
  }
  int bcast(void* data, int count, MPI_Datatype type, int root) {
    return blocking_ ? PMPI_Bcast(data, count, type, root, comm_) : run([&](MPI_Request& request) {
      return PMPI_Ibcast(data, count, type, root, comm_, &request);
    });
  }
  int allgather(const void* mine, int count, MPI_Datatype type, void* all) {
    return blocking_
               ? PMPI_Allgather(mine, count, type, all, count, type, comm_)
               : run([&](MPI_Request& request) {
                   return PMPI_Iallgather(mine, count, type, all, count, type, comm_, &request);
                 });
  }
  int allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                 const int* places) {
    return blocking_ ? PMPI_Allgatherv(mine, count, type, all, counts, places, type, comm_)
                     : run([&](MPI_Request& request) {
                         return PMPI_Iallgatherv(mine, count, type, all, counts, places, type,
                                                 comm_, &request);
                       });
  }

  MPI_Comm comm() const { return comm_; }
  bool may_make_communicators() const { return !blocking_; }
  Background& background() { return background_; }

 private:
  template <typename Start>
  int run(Start&& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start(request);
    return code == MPI_SUCCESS ? Transport::wait(request, background_) : code;
  }

  MPI_Comm comm_;
  Background& background_;
  bool blocking_;
};

}  // namespace toccata
