#pragma once

#include <mpi.h>

#include <span>

#ifdef TOCCATA_SIMULATED
#include "simulator/meeting.h"
#endif

namespace toccata::bench {

// Lets all ranks of MPI_COMM_WORLD begin together, as far as possible.
inline void line_up() {
#ifdef TOCCATA_SIMULATED
  // After a barrier made of messages, some ranks would start earlier than others.
  meet<double>({}, {});
#else
  MPI_Barrier(MPI_COMM_WORLD);
#endif
}

// Replaces each value, none below 0, by its maximum over all ranks.
inline void find_largest(std::span<double> values) {
#ifdef TOCCATA_SIMULATED
  meet<double>(values, values);
#else
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
#endif
}

}  // namespace toccata::bench
