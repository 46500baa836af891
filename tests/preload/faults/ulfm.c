/* A program that survives the death of a rank, with MPI's extensions for fault tolerance (ULFM).
   Before its n-th collective, the last rank ends by SIGKILL. The others revoke the communicator,
   shrink it, free the old one, and continue. n is the argument. */
#include <mpi.h>

#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { calls = 100 };

/* Gathers the ranks of all processes, or returns an error. */
static int gather(MPI_Comm comm) {
  int rank, size, all[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int code = MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; code == MPI_SUCCESS && i < size; ++i)
    if (all[i] != i) {
      fprintf(stderr, "block %d is %d\n", i, all[i]);
      abort();
    }
  return code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int fatal_call = atoi(argv[1]);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int last = size - 1;
  for (int i = 0; i < calls; ++i) {
    if (i == fatal_call && rank == last) raise(SIGKILL);
    int failed = gather(comm) != MPI_SUCCESS;
    if (failed) MPIX_Comm_revoke(comm);
    if (i < fatal_call) continue;
    /* Some ranks may have completed this call before the last rank died. */
    int all_well = !failed;
    if (MPIX_Comm_agree(comm, &all_well) == MPI_SUCCESS && all_well) continue;
    MPI_Comm shrunk;
    MPIX_Comm_revoke(comm);
    if (MPIX_Comm_shrink(comm, &shrunk) != MPI_SUCCESS) return 3;
    MPI_Comm_free(&comm);
    comm = shrunk;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) printf("%d of %d ranks went on\n", size, last + 1);
  fflush(stdout);
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
