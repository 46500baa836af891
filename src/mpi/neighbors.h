#pragma once

#include <mpi.h>

#include <memory>

#include "collectives/collective.h"
#include "collectives/neighborhood.h"
#include "mpi/background.h"

namespace toccata {

// What this rank knows of its neighbours in a communicator's topology, in MPI's order. Local;
// null where there is no topology.
std::shared_ptr<const Neighborhood> own_neighbors(MPI_Comm comm);

// Those of all ranks of a communicator with a topology. Of a distributed graph, all ranks must come
// here; what else the process has under way goes on meanwhile. MPI errors are thrown as
// std::runtime_error.
std::shared_ptr<const Neighborhood> all_neighbors(MPI_Comm comm, Background& background);

// `bare`, of the ranks of `comm`, becomes one with its topology. Collective; an MPI error code.
int give_topology(MPI_Comm comm, MPI_Comm& bare);

// How many blocks a collective's arrays of each buffer speak of, in C.
struct Peers {
  int out = 0, in = 0;
};
Peers peers_of(const Collective& collective, MPI_Comm comm);

}  // namespace toccata
