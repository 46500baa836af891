#pragma once

#include "mpi/libraries/facts.h"

// It calls us while it waits (progress_hook.h).
#define TOCCATA_SERVES_REQUESTS

namespace toccata {

namespace open_mpi {
bool tolerates_faults();
bool follows_known_rules(bool one_per_node);
bool has_network_functions();
}  // namespace open_mpi

inline constexpr LibraryFacts our_mpi{
    .family = "openmpi",
    .releases_cores = true,
    .needs_init_to_reduce = true,
    .mixes_generalized = true,
    .progresses_by_thread = true,
    .ends_self_early = true,
    .tolerates_faults = &open_mpi::tolerates_faults,
    .follows_known_rules = &open_mpi::follows_known_rules,
    .has_network_functions = &open_mpi::has_network_functions,
};

}  // namespace toccata
