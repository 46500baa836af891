/* Only the last rank calls MPI_Gather, with a wrong argument, as the first collective of a
 * communicator. It must get an error, because the other ranks do not call. Then all ranks gather.
 * */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p, mine = 1, all[64], faults = 0, in_all = 0;
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  MPI_Comm_rank(twin, &rank);
  MPI_Comm_size(twin, &p);
  if (rank == p - 1) {
    const int code = MPI_Gather(&mine, -1, MPI_INT, all, 1, MPI_INT, 0, twin);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    faults += error_class != MPI_ERR_COUNT;
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  faults += MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, twin) != MPI_SUCCESS;
  for (int i = 0; rank == 0 && i < p; ++i) faults += all[i] != 1;
  MPI_Comm_free(&twin);
  PMPI_Reduce(&faults, &in_all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(in_all == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
