#include "mpi/settings/own_rules.h"

#include "choices/mpi_libraries.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/family.h"
#include "mpi/settings/settings.h"

namespace toccata {

bool follows_known_rules(bool one_per_node) {
  return Settings::get().checkable_own_rules() != nullptr && is_tested(library_text()) &&
         our_mpi.follows_known_rules(one_per_node);
}

bool sends_only_messages() {
  static const bool only = !our_mpi.has_network_functions();
  return Settings::get().sends_only_messages() && only;
}

}  // namespace toccata
