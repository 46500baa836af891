#pragma once

#include <cstdint>
#include <vector>

namespace toccata {

// The answers to the roll call, in the values that Hydra distributes (RollCall): the launcher of
// MPICH and Intel MPI. Its connection to each rank is a socket, in PMI_FD. The rank writes one
// command per line, and receives one line for each [Balaji et al., PMI: A Scalable Parallel
// Process-Management Interface for Extreme-Scale Systems, EuroMPI 2010; version 1]:
//
//   cmd=put kvsname=JOB key=toccata-3 value=12345678   →   cmd=put_result rc=0
//   cmd=get kvsname=JOB key=toccata-2                  →   cmd=get_result rc=0 value=12345678
//
// The barrier of the MPI library in MPI_Init distributes all values. A request for a missing value
// returns at once.
class HydraAnswers {
 public:
  // Call this before MPI_Init, while the MPI library does not use the connection.
  static void write(std::uint64_t answer) noexcept;

  // Whether this rank wrote an answer, and those of all ranks were distributed. Call this in
  // MPI_Init, after that of the MPI library.
  static bool are_distributed() noexcept;
  // The answer of a rank of MPI_COMM_WORLD; 0 if there is none. At the same time.
  static std::uint64_t of(int rank) noexcept;

  // The ranks of MPI_COMM_WORLD on this node, ascending; empty if the launcher does not tell.
  static std::vector<int> ranks_on_node();
};

}  // namespace toccata
