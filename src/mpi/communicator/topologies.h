#pragma once

#include <mpi.h>

#include <functional>
#include <string_view>
#include <vector>

#include "topology/reorder/flows.h"

namespace toccata {

// A new communicator of all ranks, mapped by a pattern ("ring"), or by the traffic of an algorithm
// ("allgather/bruck"). Errors are MPI's. ChoiceError if the pattern does not exist.
int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made);

// The same with a given order: players[i] becomes rank i.
int reordered(MPI_Comm comm, const std::vector<int>& players, MPI_Comm& made);

// Whether all ranks of the communicator certainly have the same settings, so that on_reordered may
// change their order.
bool may_reorder(MPI_Comm comm);

// Makes a topology with `make`, for MPI_Cart_create and similar functions with reorder = 1 if
// TOCCATA_TOPOLOGY has reorder:topologies: on a copy of `comm` with its ranks in the order of the
// mapping, where rank i is players[i], or on `comm` itself if its ranks already have that order, or
// must keep theirs (may_reorder). Collective. Returns an MPI error code.
int on_reordered(MPI_Comm comm, const std::function<Mapping(const Placement& placement)>& map,
                 const std::function<int(MPI_Comm comm)>& make);

// The weights of the dimensions of a grid, by the info key toccata_cart_weights, otherwise by
// TOCCATA_TOPOLOGY=weights:...; empty without either. If a value is wrong, or ranks have different
// ones, prints a line and returns none. The same on all ranks. Collective.
std::vector<double> cart_weights(MPI_Comm comm, int dimensions);

// Whether we serve a call with this value of `reorder`.
bool reorders_topologies(int reorder);

// The lists of all ranks, one after the other, and the position where each begins. Collective.
int gather_lists(MPI_Comm comm, const std::vector<int>& mine, std::vector<int>& all,
                 std::vector<int>& first);

}  // namespace toccata
