#include <dlfcn.h>

#include "mpi/libraries/library.h"

namespace toccata {

bool open_mpi::tolerates_faults() {
  // No installed header declares it. Open MPI 4 does not have it.
  static constexpr const char* name = "ompi_ftmpi_enabled";
  const void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr)  // the program has loaded MPI privately, as interpreters do
    if (void* const library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD))
      found = dlsym(library, name);
  return found != nullptr && *static_cast<const bool*>(found);
}

}  // namespace toccata
