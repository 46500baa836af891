/* The last rank reaches the end after rank 0 has stopped waiting for reports. With MALLOC_PERTURB_,
 * memory freed in the meantime is overwritten. */
#include <mpi.h>

#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == size - 1) sleep(12);
  MPI_Finalize();
  if (rank == 0) puts(sum == size ? "right" : "wrong");
  return 0;
}
