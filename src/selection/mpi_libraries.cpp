#include "selection/mpi_libraries.h"

#include <algorithm>

namespace toccata {

// Vendors whose MPI derives from another one name both, for example:
//   Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0, ...
//   MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)
//   FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)
std::span<const MpiLibrary> mpi_libraries() {
  static constexpr MpiLibrary all[] = {
      {"IBM Spectrum MPI", "IBM Spectrum MPI", "openmpi", ""},
      {"Fujitsu MPI", "FUJITSU MPI Library", "openmpi", ""},
      {"Open MPI", "Open MPI v", "openmpi", "4.1, 5.0"},
      {"Cray MPICH", "CRAY MPICH version", "mpich", ""},
      {"MVAPICH2", "MVAPICH2 Version", "mpich", ""},
      {"MVAPICH", "MVAPICH Version", "mpich", ""},
      {"ParaStation MPI", "ParaStation MPI", "mpich", ""},
      {"HPE HMPT", "HPE HMPT", "mpich", ""},
      {"HPE MPT", "HPE MPT", "", ""},
      {"MPItrampoline", "MPIwrapper Version", "", ""},
      {"Intel MPI", "Intel(R) MPI Library", "mpich", "2021.18"},
      {"MPICH", "MPICH Version", "mpich", "4.0, 5.0"},
  };
  return all;
}

const MpiLibrary* mpi_library_of(std::string_view text) {
  const auto all = mpi_libraries();
  const auto found = std::ranges::find_if(
      all, [&](const MpiLibrary& each) { return text.find(each.sign) != std::string_view::npos; });
  return found == all.end() ? nullptr : &*found;
}

NativeMpi native_mpi_of(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return NativeMpi::unknown;
  if (library->name == "Intel MPI") return NativeMpi::intel_mpi;
  if (library->family == "openmpi") return NativeMpi::open_mpi;
  return library->family == "mpich" ? NativeMpi::mpich : NativeMpi::unknown;
}

NativeMpi predictable_mpi_of(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return NativeMpi::unknown;
  if (library->name == "Open MPI") return NativeMpi::open_mpi;
  return library->name == "MPICH" ? NativeMpi::mpich : NativeMpi::unknown;
}

bool is_tested(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return false;
  text.remove_prefix(text.find(library->sign) + library->sign.size());
  const auto begin = std::min(text.find_first_of("0123456789"), text.size());
  const auto version = text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
  for (std::string_view rest = library->tested; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (version.starts_with(one) && (version.size() == one.size() || version[one.size()] == '.'))
      return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
  }
  return false;
}

}  // namespace toccata
