#pragma once

#include <mpi.h>

#include <functional>

#include "topology/reorder/flows.h"

namespace toccata {

// Serves MPI_Cart_create and similar functions with reorder = 1 if TOCCATA_TOPOLOGY has
// reorder:topologies. `bare` becomes a copy of `comm` with its ranks in the order of the mapping:
// rank i of the new topology is players[i]. The caller frees it. `bare` is MPI_COMM_NULL if the
// order stays as it is: for an intercommunicator, or if the places of ranks are unknown.
// Collective. Returns an MPI error code.
int reorder_for_topology(MPI_Comm comm,
                         const std::function<Mapping(const Placement& placement)>& map,
                         MPI_Comm& bare);

// The weights of the dimensions of a grid, by the info key toccata_cart_weights, otherwise by
// TOCCATA_TOPOLOGY=weights:...; empty without either. If a value is wrong, or ranks have different
// ones, prints a line and returns none. The same on all ranks. Collective.
std::vector<double> cart_weights(MPI_Comm comm, int dimensions);

// Whether we serve a call with this value of `reorder`.
bool reorders_topologies(int reorder);

// The edges of all ranks' lists, three numbers each (from, to, weight); the same on all ranks.
// Collective; an MPI error code.
int gather_edges(MPI_Comm comm, const std::vector<int>& mine, Flows& flows);

// The lists of all ranks, one after the other, and the position where each begins. Collective.
int gather_lists(MPI_Comm comm, const std::vector<int>& mine, std::vector<int>& all,
                 std::vector<int>& first);

// Rows of edges (from, to, weight) of ranks 0 .. p - 1.
Flows flows_of_edges(int p, const std::vector<int>& edges);

}  // namespace toccata
