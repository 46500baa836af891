#pragma once

#include <span>
#include <string_view>

namespace toccata {

// An MPI library that we know by what MPI_Get_library_version says of it.
struct MpiLibrary {
  std::string_view name;
  std::string_view sign;  // a part of that text, before the number of the version
  std::string_view
      family;  // whose binary interface it has, and so which library of ours serves it;
               // "" if none does
  std::string_view tested;  // the versions that our tests run with, as "4.1, 5.0"
};

// All of them. If the signs of several are in a text, the first one is meant.
std::span<const MpiLibrary> mpi_libraries();

// The one that says `text`; null for an unknown one.
const MpiLibrary* mpi_library_of(std::string_view text);

// Whether our tests run with the version that says `text`.
bool is_tested(std::string_view text);

}  // namespace toccata
