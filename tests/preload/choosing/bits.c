// Sums and extremes between other collectives, which the library tries algorithms for. Ranks are
// late at random times, which differ from run to run. Prints a number that depends on the bits of
// all results on all ranks; so every run must print the same.
#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { n = 40, most_ranks = 16 };
static uint64_t digest = 1469598103934665603u;

static void add(const double* results, int count) {
  const unsigned char* const bytes = (const unsigned char*)results;
  for (size_t i = 0; i < count * sizeof *results; ++i)
    digest = (digest ^ bytes[i]) * 1099511628211u;
}

static void reduce_all(MPI_Comm comm, int rank, int call) {
  double mine[n], result[n];
  MPI_Request request;
  for (int i = 0; i < n; ++i) mine[i] = (rank + 1) * 1e9 / (call % 7 + i + 3);
  MPI_Allreduce(mine, result, call % 2 ? 1 : n, MPI_DOUBLE, MPI_SUM, comm);
  add(result, call % 2 ? 1 : n);
  MPI_Reduce(mine, result, n, MPI_DOUBLE, MPI_SUM, 1, comm);
  if (rank == 1) add(result, n);
  MPI_Iallreduce(mine, result, n, MPI_DOUBLE, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  add(result, n);
  mine[call % n] = rank == call % 3 ? NAN : mine[call % n];
  MPI_Allreduce(mine, result, n, MPI_DOUBLE, MPI_MAX, comm);
  add(result, n);
}

int main(int argc, char** argv) {
  int rank, p;
  char mine[64] = {0}, all[64 * most_ranks];
  struct timespec now;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  clock_gettime(CLOCK_REALTIME, &now);
  srand((unsigned)now.tv_nsec + (unsigned)rank);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int call = 0; call < atoi(argv[1]); ++call) {
    if (call % 150 == 149) {  // a communicator of the same shape, which knows results of trials
      MPI_Comm_free(&comm);
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    if (rand() % 20 == 0) usleep(rand() % 500);
    MPI_Allgather(mine, 16, MPI_BYTE, all, 16, MPI_BYTE, comm);
    if (call % 3 == 0) reduce_all(comm, rank, call);
    MPI_Bcast(mine, 64, MPI_BYTE, call % p, comm);
  }
  MPI_Comm_free(&comm);
  uint64_t digests[most_ranks];
  PMPI_Gather(&digest, 1, MPI_UINT64_T, digests, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < p; ++r) printf("%016llx\n", (unsigned long long)digests[r]);
  MPI_Finalize();
  return 0;
}
