#pragma once

#include <mpi.h>

#ifdef TOCCATA_SIMULATED
#include <simgrid/actor.h>
#endif

namespace toccata::bench {

// Lets all ranks of MPI_COMM_WORLD begin together, as far as that can be.
inline void line_up() {
#ifdef TOCCATA_SIMULATED
  // A barrier would let some go before others. There all ranks have one clock, and time is free.
  const double here = MPI_Wtime();
  double latest;
  MPI_Allreduce(&here, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  sg_actor_sleep_for(latest + 1 - MPI_Wtime());
#else
  MPI_Barrier(MPI_COMM_WORLD);
#endif
}

}  // namespace toccata::bench
