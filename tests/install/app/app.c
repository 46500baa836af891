// Uses find_package(toccata): the library, its header and its MPI.
#include <mpi.h>

#include <toccata/toccata.h>

int main(int argc, char** argv) {
  int rank, all[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  toccata_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, "ring");
  MPI_Finalize();
  return all[0] == 0 && all[1] == 1 ? 0 : 1;
}
