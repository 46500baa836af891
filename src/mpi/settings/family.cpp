#include "mpi/settings/family.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

#include "choices/mpi_libraries.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/first_stage.h"

namespace toccata {

namespace {

// .../openmpi/libtoccata.so is next to .../mpich/libtoccata.so.
std::string library_of(const std::string& family) {
  const std::filesystem::path own = own_path();
  if (own.empty()) return "";
  std::error_code error;
  const std::filesystem::path other = own.parent_path().parent_path() / family / own.filename();
  return std::filesystem::exists(other, error) ? other.lexically_normal().string() : "";
}

// Whether the MPI library in this process has the standard ABI. An MPI may have a second library
// with that ABI, in another file; the standard specifies its name.
bool has_standard_interface() {
  Dl_info mpi;
  return dladdr(reinterpret_cast<void*>(&PMPI_Get_library_version), &mpi) != 0 &&
         std::filesystem::path(mpi.dli_fname).filename().string().starts_with("libmpi_abi.");
}

}  // namespace

bool is_preloaded() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "libtoccata") != nullptr;
}

std::string own_path() {
  Dl_info here;
  if (dladdr(address_of_named_library(), &here) == 0) return "";
  std::error_code error;
  return std::filesystem::absolute(here.dli_fname, error).string();
}

// Calls the one function of MPI that takes no handle and may be called at any time. The buffer is
// large enough for any MPI.
std::string library_text() {
  std::vector<char> text(std::max(MPI_MAX_LIBRARY_VERSION_STRING, 1 << 14));
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  // MPICH's text contains a tab, which files of ours cannot contain.
  std::string version = text.data();
  std::ranges::replace(version, '\t', ' ');
  return version;
}

std::string library_version() {
  const std::string text = library_text();
  return text.substr(0, text.find_first_of(",\n"));
}

bool is_our_mpi(std::string& complaint) {
  const std::string version = library_version();
  const MpiLibrary* const known = mpi_library_of(library_text());
  // Most unknown MPIs derive from MPICH.
  const std::string family = has_standard_interface()      ? "abi"
                             : version.starts_with("SMPI") ? "simgrid"
                             : known != nullptr            ? std::string(known->family)
                                                           : "mpich";
  if (family == our_mpi.family) return true;
  const auto shown = [](const std::string& each) {
    return each == "abi" ? "the standard ABI" : each;
  };
  complaint = "this library is for " + shown(std::string(our_mpi.family)) +
              ", but the program runs with " + version +
              (family == "abi" ? " (standard ABI)" : "") + ". Toccata is off. ";
  if (family.empty()) {
    complaint += "No library of Toccata serves this MPI.";
  } else {
    const std::string library = library_of(family);
    complaint +=
        "Preload " + (library.empty() ? "the library for " + shown(family) : library) + " instead.";
  }
  return false;
}

}  // namespace toccata
