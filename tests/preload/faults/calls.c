/* Calls collectives of the world and of a duplicate, which it frees. Prints "right", "wrong" if a
   result is wrong, or "errors" if calls return errors. The duplicate returns errors unless
   ERRORS_END_IT is set. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { most = 64 };

static int faults = 0, errors = 0;

static void call(MPI_Comm comm) {
  int rank, p, all[most], sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < p; ++i) all[i] = -1;
  if (MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm) != MPI_SUCCESS)
    ++errors;
  else
    for (int i = 0; i < p; ++i) faults += all[i] != i;
  if (MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS)
    ++errors;
  else
    faults += sum != p * (p - 1) / 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  call(MPI_COMM_WORLD);
  call(twin);
  call(twin);
  MPI_Comm_free(&twin);
  call(MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine[2] = {faults, errors};
  int all[2];
  PMPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all[0] != 0 ? "wrong" : all[1] != 0 ? "errors" : "right");
  MPI_Finalize();
  return 0;
}
