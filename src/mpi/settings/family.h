#pragma once

#include <string>

namespace toccata {

// Whether the MPI library in this process belongs to the family for which we were built. Otherwise
// its handles have no meaning for us, and only one function of MPI may be called. `complaint` then
// states this, and names the library to preload instead.
bool is_our_mpi(std::string& complaint);

// The text that MPI_Get_library_version returns in this process.
std::string library_text();
// The beginning of that text, up to a comma or the end of the line: "Open MPI v4.1.4".
std::string library_version();

// Whether this library is preloaded, not linked with a program that calls its functions.
bool is_preloaded();

// The file of our library that the program named.
std::string own_path();

}  // namespace toccata
