#pragma once

#include <mpi.h>

namespace toccata {

// Whether other ranks take part in what is collective over it, and would wait for this one.
bool has_other_ranks(MPI_Comm comm) noexcept;

// Ends the job with one line: this rank cannot go on with what the ranks agreed to do together, and
// the others would wait for it without end. Takes no memory.
[[noreturn]] void end_job(const char* why) noexcept;

}  // namespace toccata
