#include <algorithm>
#include <array>
#include <cstdlib>

#include "choices/spelling.h"
#include "mpi/libraries/library.h"

namespace toccata {

bool mpich::has_network_functions() {
  return std::ranges::any_of(std::array{"MPIR_CVAR_ENABLE_HCOLL", "I_MPI_COLL_EXTERNAL"},
                             [](const char* name) {
                               const char* const value = std::getenv(name);
                               return value != nullptr && !switches_off(value);
                             });
}

}  // namespace toccata
