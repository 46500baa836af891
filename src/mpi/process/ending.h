#pragma once

#include <mpi.h>

namespace toccata {

// Whether other ranks take part in collective calls on `comm`; they would wait for this rank.
bool has_other_ranks(MPI_Comm comm) noexcept;

// Ends the job and prints one line. This rank cannot continue an operation on which the ranks
// agreed, and the others would wait for it forever. Allocates no memory.
[[noreturn]] void end_job(const char* why) noexcept;

}  // namespace toccata
