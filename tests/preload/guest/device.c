/* In two allgathers and an allreduce of five, the last rank's buffers are on a device
 * (tests/mpi/cuda.c). Then a duplicate of the world follows, and its first call has a device
 * buffer. */
#include "guest.h"

typedef unsigned long long Address;
int cuInit(unsigned flags);
int cuMemAlloc_v2(Address* address, size_t bytes);
int cuMemFree_v2(Address address);
int cuMemcpyHtoD_v2(Address into, const void* from, size_t bytes);
int cuMemcpyDtoH_v2(void* into, Address from, size_t bytes);

enum { n = 100 };

static int *mine, *all;
static Address device_mine, device_all;

static void use(MPI_Comm comm, int mine_there, int all_there) {
  const size_t bytes = sizeof(int) * n;
  void* from = mine_there ? (void*)device_mine : mine;
  void* into = all_there ? (void*)device_all : all;
  for (int i = 0; i < n; ++i) mine[i] = 1000 * rank + i;
  for (int i = 0; i < n * p; ++i) all[i] = -1;
  if (mine_there) cuMemcpyHtoD_v2(device_mine, mine, bytes);
  if (all_there) cuMemcpyHtoD_v2(device_all, all, bytes * p);
  MPI_Allgather(from, n, MPI_INT, into, n, MPI_INT, comm);
  if (all_there) cuMemcpyDtoH_v2(all, device_all, bytes * p);
  for (int i = 0; i < n * p; ++i) faults += all[i] != 1000 * (i / n) + i % n;
  MPI_Allreduce(from, into, n, MPI_INT, MPI_SUM, comm);
  if (all_there) cuMemcpyDtoH_v2(all, device_all, bytes * p);
  for (int i = 0; i < n; ++i) faults += all[i] != 1000 * p * (p - 1) / 2 + p * i;
}

int main(int argc, char** argv) {
  MPI_Comm twin;
  start(&argc, &argv);
  mine = malloc(sizeof(int) * n);
  all = malloc(sizeof(int) * n * p);
  cuInit(0);
  cuMemAlloc_v2(&device_mine, sizeof(int) * n);
  cuMemAlloc_v2(&device_all, sizeof(int) * n * p);
  const int there = rank == p - 1;
  use(MPI_COMM_WORLD, 0, 0);
  use(MPI_COMM_WORLD, there, there);
  use(MPI_COMM_WORLD, 0, 0);
  use(MPI_COMM_WORLD, 0, there);
  use(MPI_COMM_WORLD, 0, 0);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  use(twin, there, 0);
  use(twin, 0, 0);
  MPI_Comm_free(&twin);
  cuMemFree_v2(device_mine);
  cuMemFree_v2(device_all);
  finish();
  return 0;
}
