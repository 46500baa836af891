#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mpi/agreement/agreement_operation.h"

#ifdef TOCCATA_SIMULATED
#include "simulator/meeting.h"
#endif

namespace toccata {

// Starts to find the maximum, or the minimum, of each of these numbers over all ranks of `comm`.
// Both arrays must stay until the request has ended. Returns an MPI error code. `blocking` must be
// the same on all ranks, because MPI does not match the two forms. A blocking call waits, and
// returns MPI_REQUEST_NULL (Exchange).
inline int start_agreement(const void* mine, void* agreed, int numbers, MPI_Datatype type,
                           MPI_Op operation, MPI_Comm comm, MPI_Request& request, bool blocking) {
  operation = AgreementOperation::instead_of(operation);
#ifdef TOCCATA_SIMULATED
  // The simulator's nonblocking form sends p² messages: for few ranks only.
  static constexpr int few = 64;
  int p = 0;
  PMPI_Comm_size(comm, &p);
  blocking = blocking || p > few;
#endif
  request = MPI_REQUEST_NULL;
  if (blocking) return PMPI_Allreduce(mine, agreed, numbers, type, operation, comm);
  return PMPI_Iallreduce(mine, agreed, numbers, type, operation, comm, &request);
}
inline int start_agreement(std::span<const std::uint64_t> mine, std::span<std::uint64_t> largest,
                           MPI_Comm comm, MPI_Request& request, bool blocking = false) {
#ifdef TOCCATA_SIMULATED
  if (comm == MPI_COMM_WORLD) {
    request = MPI_REQUEST_NULL;
    meet(mine, largest);
    return MPI_SUCCESS;
  }
#endif
  return start_agreement(mine.data(), largest.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                         MPI_MAX, comm, request, blocking);
}
inline int start_agreement(std::span<const double> mine, std::span<double> least, MPI_Comm comm,
                           MPI_Request& request, bool blocking = false) {
  return start_agreement(mine.data(), least.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                         MPI_MIN, comm, request, blocking);
}

}  // namespace toccata
