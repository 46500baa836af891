#pragma once

#include <mpi.h>

#include <functional>

#include "topology/reorder/flows.h"

namespace toccata {

// What MPI_Cart_create and its like do with reorder = 1 where TOCCATA_REORDER_TOPOLOGIES is set:
// `comm` with its ranks in another order, the one that the mapping says, in which rank i of the new
// topology is players[i]. Gives `bare`, to be freed, or MPI_COMM_NULL where the order stays: an
// intercommunicator, or ranks whose places cannot be found. Collective. Returns an MPI error code.
int reorder_for_topology(MPI_Comm comm,
                         const std::function<Mapping(const Placement& placement)>& map,
                         MPI_Comm& bare);

// Whether a call with that `reorder` is one for us.
bool reorders_topologies(int reorder);

// The edges of all ranks' lists, each (from, to, weight), three numbers; alike on all ranks.
// Collective; an MPI error code.
int gather_edges(MPI_Comm comm, const std::vector<int>& mine, Flows& flows);

// All ranks' lists one behind the other, and where each begins. Collective.
int gather_lists(MPI_Comm comm, const std::vector<int>& mine, std::vector<int>& all,
                 std::vector<int>& first);

// Rows of edges (from, to, weight) of ranks 0 .. p - 1.
Flows flows_of_edges(int p, const std::vector<int>& edges);

}  // namespace toccata
