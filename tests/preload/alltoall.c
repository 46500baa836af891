/* Every form of all-to-all once, and once in place. Rank 0 prints "right". */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

enum { most = 64, n = 3 };
static int rank, p, faults;
static int mine[n * most], got[n * most];

static void ready(int in_place) {
  for (int i = 0; i < n * p; ++i) mine[i] = 1000 * rank + i;
  for (int i = 0; i < n * p; ++i) got[i] = in_place ? mine[i] : -1;
}

static void check(void) {
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < n; ++i) faults += got[n * r + i] != 1000 * r + n * rank + i;
}

int main(int argc, char** argv) {
  int counts[most], places[most], byte_places[most], all_faults;
  MPI_Datatype types[most];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int r = 0; r < p; ++r) {
    counts[r] = n;
    places[r] = n * r;
    byte_places[r] = n * r * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    const void* from = in_place ? MPI_IN_PLACE : mine;
    ready(in_place);
    MPI_Alltoall(from, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
    check();
    ready(in_place);
    MPI_Alltoallv(from, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
    check();
    ready(in_place);
    MPI_Alltoallw(from, counts, byte_places, types, got, counts, byte_places, types,
                  MPI_COMM_WORLD);
    check();
  }
  MPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
