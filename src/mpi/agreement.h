#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace toccata {

// Begins to find, of each of the words that every rank of `comm` has, the largest. Both must stay
// until the request has ended. Returns an MPI error code.
inline int start_agreement(std::span<const std::uint64_t> mine, std::span<std::uint64_t> largest,
                           MPI_Comm comm, MPI_Request& request) {
  const auto words = static_cast<int>(mine.size());
#ifdef TOCCATA_SIMULATED
  // The simulator's nonblocking form sends p² messages: for few ranks only.
  static constexpr int few = 64;
  int p = 0;
  PMPI_Comm_size(comm, &p);
  if (p > few) {
    request = MPI_REQUEST_NULL;
    return PMPI_Allreduce(mine.data(), largest.data(), words, MPI_UINT64_T, MPI_MAX, comm);
  }
#endif
  return PMPI_Iallreduce(mine.data(), largest.data(), words, MPI_UINT64_T, MPI_MAX, comm, &request);
}

}  // namespace toccata
