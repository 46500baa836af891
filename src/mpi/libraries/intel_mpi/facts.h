#pragma once

#include "mpi/libraries/facts.h"

namespace toccata {

namespace mpich {
bool has_network_functions();
}

// It derives from MPICH 3.4.
inline constexpr LibraryFacts our_mpi{
    .family = "mpich",
    .detects_aliases = true,
    .has_slow_reductions = true,
    .hides_errhandler = true,
    .drops_unknown_hints = true,
    .gives_all_threads = true,
    .may_give_threads = true,
    .has_network_functions = &mpich::has_network_functions,
};

}  // namespace toccata
