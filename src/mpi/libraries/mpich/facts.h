#pragma once

#include <mpi.h>

#include "mpi/libraries/facts.h"

// It calls us while it waits (progress_hook.h).
#define TOCCATA_SERVES_REQUESTS

namespace toccata {

namespace mpich {
bool has_network_functions();
}

inline constexpr LibraryFacts our_mpi{
    .family = "mpich",
    .detects_aliases = true,
    .has_slow_reductions = true,
    .hides_errhandler = true,
    .drops_unknown_hints = true,
    .gives_all_threads = MPICH_NUMVERSION < 40300000,
    .may_give_threads = true,
    .has_network_functions = &mpich::has_network_functions,
};

}  // namespace toccata
