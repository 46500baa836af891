#pragma once

#include <mpi.h>

#include <string>

namespace toccata {

// If settings that must be equal differ between ranks of `comm`: on rank 0, one sentence with the
// setting and one host for each of two values; "" on the other ranks. Collective; waits.
std::string difference_of_settings(MPI_Comm comm);

}  // namespace toccata
