// Adapts the simulator's <mpi.h> to our sources; comes before it in the include path.
#pragma once

#include <smpi/mpi.h>

// There it is an enumerator, so `code != MPI_SUCCESS ? code : MPI_SUCCESS` mixes two types.
#define MPI_SUCCESS 0

// The simulator declares these functions, but ends the program if they are called.
#define PMPI_Topo_test toccata_simulator_topo_test
#define PMPI_Add_error_code toccata_simulator_add_error_code
#define PMPI_Add_error_string toccata_simulator_add_error_string

inline int toccata_simulator_topo_test(MPI_Comm comm, int* kind) {
  int dimensions = 0;
  *kind = PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
inline int toccata_simulator_add_error_code(int, int*) { return MPI_ERR_OTHER; }
inline int toccata_simulator_add_error_string(int, const char*) { return MPI_ERR_OTHER; }
