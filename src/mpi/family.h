#pragma once

#include <string>

namespace toccata {

// Whether the MPI library in this process is of the kind that we were built for. Handles of another
// kind mean nothing to us, and no function of MPI but one must be called then. Where it is not,
// `complaint` says so and names the library to preload instead.
bool is_our_mpi(std::string& complaint);

// "openmpi", "mpich" or "abi": what we were built for.
std::string our_mpi();
// What the MPI library in this process says of itself, as MPI_Get_library_version gives it.
std::string library_text();
// "Open MPI v4.1.4": the beginning of that, up to a comma or the end of the line.
std::string library_version();

// The file that we were loaded from.
std::string own_path();

}  // namespace toccata
