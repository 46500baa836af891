#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace toccata {

// An MPI library that we recognise by its text from MPI_Get_library_version.
struct MpiLibrary {
  std::string_view name;
  std::string_view sign;  // a part of that text, before the version number
  std::string_view
      family;  // the MPI with the same binary interface, whose build of Toccata serves it;
               // "" if none does
  std::string_view tested;  // the versions with which our tests run, such as "4.1, 5.0"
};

// All libraries that we recognise. If a text contains several signs, the first one counts.
std::span<const MpiLibrary> mpi_libraries();

// The library with this version text; null for an unknown one.
const MpiLibrary* mpi_library_of(std::string_view text);

// The MPI libraries whose collectives were compared with ours. Another library counts as the one
// from which it derives.
enum class NativeMpi : std::uint8_t { open_mpi, mpich, intel_mpi, unknown };
NativeMpi native_mpi_of(std::string_view text);
// The same if its own choices can be predicted: the decision functions of vendors are not public.
NativeMpi predictable_mpi_of(std::string_view text);

// Whether our tests run with the version of this text.
bool is_tested(std::string_view text);

}  // namespace toccata
