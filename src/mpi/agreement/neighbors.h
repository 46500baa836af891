#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "collectives/collective.h"
#include "collectives/neighborhood.h"
#include "mpi/agreement/exchange.h"

namespace toccata {

// This rank's neighbours in a communicator's topology, in MPI's order. Local; null without a
// topology.
std::shared_ptr<const Neighborhood> own_neighbors(MPI_Comm comm);

// The neighbours of all ranks of a communicator with a topology. For a distributed graph, this is
// collective; other operations of the process continue meanwhile. MPI errors are thrown as
// std::runtime_error.
std::shared_ptr<const Neighborhood> all_neighbors(Exchange exchange);

// Whether some rank has several edges from or to the same rank, without communication. Nothing for
// a distributed graph, in which a rank does not know the edges of others.
std::optional<bool> known_to_repeat_edges(MPI_Comm comm);

// Gives `bare`, which has the ranks of `comm`, the topology of `comm`. Collective; an MPI error
// code.
int give_topology(MPI_Comm comm, MPI_Comm& bare);

// The number of blocks in a collective's arrays for each buffer, in C.
struct Peers {
  int out = 0, in = 0;
};
Peers peers_of(const Collective& collective, MPI_Comm comm);

}  // namespace toccata
