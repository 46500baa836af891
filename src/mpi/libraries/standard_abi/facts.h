#pragma once

#include "mpi/libraries/facts.h"

namespace toccata {

namespace mpich {
bool has_network_functions();
}

// Any MPI library with the ABI of MPI 5. Today, these are MPICH and Intel MPI.
inline constexpr LibraryFacts our_mpi{
    .family = "abi",
    .detects_aliases = true,
    .hides_errhandler = true,
    .drops_unknown_hints = true,
    .may_give_threads = true,
    .has_network_functions = &mpich::has_network_functions,
};

}  // namespace toccata
