#pragma once

#include <mpi.h>

// The MPI library for which this is compiled. No other file tests macros of mpi.h, except where
// functions exist only in some libraries (world/world.h, preload/).
#if defined(TOCCATA_SIMULATED)
#include "mpi/libraries/simgrid/facts.h"
#elif defined(MPI_ABI)
#include "mpi/libraries/standard_abi/facts.h"
#elif defined(OPEN_MPI)
#include "mpi/libraries/open_mpi/facts.h"
#elif defined(I_MPI_VERSION)
#include "mpi/libraries/intel_mpi/facts.h"
#else
#include "mpi/libraries/mpich/facts.h"
#endif
