/* The last rank's buffers are on a device (fake_cuda.c) for two allgathers and an allreduce of
 * five; a duplicate of the world comes on top, whose first call has a device buffer. */
#include "guest.h"

void fake_device_range(void* begin, void* end);

enum { n = 100 };

static void use(MPI_Comm comm, int* mine, int* all) {
  for (int i = 0; i < n; ++i) mine[i] = 1000 * rank + i;
  for (int i = 0; i < n * p; ++i) all[i] = -1;
  MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm);
  for (int i = 0; i < n * p; ++i) faults += all[i] != 1000 * (i / n) + i % n;
  MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) faults += all[i] != 1000 * p * (p - 1) / 2 + p * i;
}

int main(int argc, char** argv) {
  MPI_Comm twin;
  start(&argc, &argv);
  int* host_mine = malloc(sizeof(int) * n);
  int* host_all = malloc(sizeof(int) * n * p);
  int* device = malloc(sizeof(int) * n * (p + 1));
  if (rank == p - 1) fake_device_range(device, device + n * (p + 1));
  const int there = rank == p - 1;
  use(MPI_COMM_WORLD, host_mine, host_all);
  use(MPI_COMM_WORLD, there ? device : host_mine, there ? device + n : host_all);
  use(MPI_COMM_WORLD, host_mine, host_all);
  use(MPI_COMM_WORLD, host_mine, there ? device + n : host_all);
  use(MPI_COMM_WORLD, host_mine, host_all);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  use(twin, there ? device : host_mine, host_all);
  use(twin, host_mine, host_all);
  MPI_Comm_free(&twin);
  finish();
  return 0;
}
