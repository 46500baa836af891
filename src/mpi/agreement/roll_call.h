#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/agreement/patience.h"
#include "mpi/agreement/pmix.h"

namespace toccata {

// Finds the ranks that have not loaded this library, or another version of it; a message to them
// would be lost, and one from them never comes. Each rank with the library writes a key through
// PMIx, before MPI_Init exchanges the data of all ranks. Afterwards, a lookup needs no message.
//
// This works under MPIs that call PMIx through its shared library (Open MPI; MPICH if built so).
class RollCall {
 public:
  // What our definitions of PMIx_Commit and PMIx_Fence see in MPI_Init (src/preload/pmix.cpp).
  // `library`: a handle of dlopen, with which PMIx's functions are found.
  static void answer(void* library) noexcept;
  static void collect(const pmix::Option* options, std::size_t count) noexcept;

  // Whether this rank has answered, and the data of all ranks are here. Launcher and MPI decide
  // this, so the ranks with the library give the same result.
  static bool is_possible() noexcept;

  // Whether this rank of MPI_COMM_WORLD has answered, with the version of the library here.
  static bool has_answered(int rank) noexcept;

  // The ranks of MPI_COMM_WORLD on this node, ascending; empty if the launcher does not tell.
  // Requires is_possible().
  static std::vector<int> ranks_on_node();

  // The largest of each of at most 8 numbers over all ranks of MPI_COMM_WORLD, in MPI_Init.
  // Collective over the ranks with the library. Requires is_possible(). If a rank lacks the
  // library, `absent` is set to it on all others (if several do, to any of them; the numbers are
  // then incomplete); otherwise to -1. Returns an MPI error code.
  static int find_largest(std::span<const std::uint64_t> mine, std::span<std::uint64_t> largest,
                          Patience* patience, int& absent) noexcept;
  static constexpr int most_numbers = 8;
};

}  // namespace toccata
