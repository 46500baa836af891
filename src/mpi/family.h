#pragma once

#include <string>

namespace toccata {

// Whether the MPI library in this process is of the family for which we were built. Otherwise its
// handles are invalid for us, and only one function of MPI may be called; `complaint` then explains
// that and names the library to preload instead.
bool is_our_mpi(std::string& complaint);

// The family for which we were built: "openmpi", "mpich" or "abi".
std::string our_mpi();
// The text that MPI_Get_library_version returns in this process.
std::string library_text();
// "Open MPI v4.1.4": the beginning of that, up to a comma or the end of the line.
std::string library_version();

// The file that we were loaded from.
std::string own_path();

}  // namespace toccata
