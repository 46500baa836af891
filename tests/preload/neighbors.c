/* Every form of the collectives among neighbours once. In the graph, every rank sends to the next
   rank and to the one after that. Rank 0 prints "right". */
#include <mpi.h>

#include <stdio.h>

enum { n = 3 };
static int rank, p, faults;
static int mine[2 * n], got[2 * n], sources[2], destinations[2];

static void ready(void) {
  for (int i = 0; i < 2 * n; ++i) mine[i] = 1000 * rank + i;
  for (int i = 0; i < 2 * n; ++i) got[i] = -1;
}

/* This rank is the s-th destination of its source s. */
static void check(int alltoall) {
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < n; ++i)
      faults += got[n * s + i] != 1000 * sources[s] + (alltoall ? n * s : 0) + i;
}

int main(int argc, char** argv) {
  int counts[2] = {n, n}, places[2] = {0, n}, all_faults;
  MPI_Aint byte_places[2] = {0, n * sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Comm graph;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int i = 0; i < 2; ++i) {
    sources[i] = (rank + p - 1 - i) % p;
    destinations[i] = (rank + 1 + i) % p;
  }
  int ones[2] = {1, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, ones, 2, destinations, ones,
                                 MPI_INFO_NULL, 0, &graph);
  ready();
  MPI_Neighbor_allgather(mine, n, MPI_INT, got, n, MPI_INT, graph);
  check(0);
  ready();
  MPI_Neighbor_allgatherv(mine, n, MPI_INT, got, counts, places, MPI_INT, graph);
  check(0);
  ready();
  MPI_Neighbor_alltoall(mine, n, MPI_INT, got, n, MPI_INT, graph);
  check(1);
  ready();
  MPI_Neighbor_alltoallv(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, graph);
  check(1);
  ready();
  MPI_Neighbor_alltoallw(mine, counts, byte_places, types, got, counts, byte_places, types, graph);
  check(1);
  MPI_Comm_free(&graph);
  MPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
