// The simulator's <mpi.h>, which this one stands before, as our sources need it.
#pragma once

#include <smpi/mpi.h>

// There it is of an enumeration, and `code != MPI_SUCCESS ? code : MPI_SUCCESS` of neither type.
#define MPI_SUCCESS 0

// What it declares, and ends the program where it is called.
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
