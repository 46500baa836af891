#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/agreement/pmix.h"

namespace toccata {

// The answers to the roll call, in the values that PMIx distributes (RollCall). Each rank writes a
// value, before the MPI library exchanges those of all ranks in MPI_Init.
class PmixAnswers {
 public:
  // What our definitions of PMIx's functions see (src/preload/pmix.cpp). `library`: a handle of
  // dlopen, with which PMIx's functions are found.
  static void see_put(std::uint8_t scope, const char* key) noexcept;
  static void write(void* library, std::uint64_t answer) noexcept;
  static void see_fence(const pmix::Option* options, std::size_t count) noexcept;

  // Whether this rank wrote an answer, and those of all ranks were distributed.
  static bool are_distributed() noexcept;
  // The answer of a rank of MPI_COMM_WORLD; 0 if there is none.
  static std::uint64_t of(int rank) noexcept;

  // The ranks of MPI_COMM_WORLD on this node, ascending; empty if the launcher does not tell.
  static std::vector<int> ranks_on_node();
};

}  // namespace toccata
