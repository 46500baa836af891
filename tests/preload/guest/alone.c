/* The last rank of a graph has no neighbours; among two ranks, the other one is its own neighbour.
 * The last rank receives nothing of a reduction, and has no memory for it. Then a communicator of
 * one rank, maybe with the handle of a freed larger one, whose arrays of counts end where memory
 * ends. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

enum { n = 4 };

static void neighbours(int kind) {
  const int others = p - 1, has_some = rank < others;
  const int from = (rank + others - 1) % others, to = (rank + 1) % others, none = 0, counts = n,
            weight = 1;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, has_some, &from, &weight, has_some, &to, &weight,
                                 MPI_INFO_NULL, 0, &graph);
  for (int i = 0; i < 100; ++i) {
    int mine[n], got[n], sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int k = 0; k < n; ++k) mine[k] = i + rank + k;
    if (kind == 0) MPI_Neighbor_allgather(mine, n, MPI_INT, got, n, MPI_INT, graph);
    if (kind == 1) MPI_Neighbor_alltoall(mine, n, MPI_INT, got, n, MPI_INT, graph);
    if (kind == 2) MPI_Ineighbor_allgather(mine, n, MPI_INT, got, n, MPI_INT, graph, &request);
    if (kind == 3) MPI_Neighbor_allgatherv(mine, n, MPI_INT, got, &counts, &none, MPI_INT, graph);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; has_some && k < n; ++k) faults += got[k] != i + from + k;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, graph);
    faults += sum != p * i;
  }
  MPI_Comm_free(&graph);
}

static void no_result_for_the_last(int length) {
  int *mine = malloc(p * length * sizeof(int)), *got = malloc(length * sizeof(int));
  int* const counts = malloc(p * sizeof(int));
  for (int r = 0; r < p; ++r) counts[r] = r < p - 1 ? length : 0;
  for (int i = 0; i < 60; ++i) {
    void* const here = rank < p - 1 ? got : NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int k = 0; k < p * length; ++k) mine[k] = k + i;
    if (i % 2 == 0)
      MPI_Reduce_scatter(mine, here, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Ireduce_scatter(mine, here, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; here != NULL && k < length; ++k)
      faults += got[k] != p * (rank * length + k + i);
  }
  free(mine);
  free(got);
  free(counts);
}

static void arrays_at_the_end_of_memory(void) {
  const long page = sysconf(_SC_PAGESIZE);
  char* const memory =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + page, page, PROT_NONE);
  int* const last = (int*)(memory + page) - 1;
  int *counts = malloc(p * sizeof(int)), *places = malloc(p * sizeof(int));
  int* const all = malloc(p * sizeof(int));
  for (int r = 0; r < p; ++r) counts[r] = 1, places[r] = r;
  for (int i = 0; i < 20; ++i) {
    const int none = 0;
    MPI_Comm large, own;
    MPI_Comm_dup(MPI_COMM_WORLD, &large);
    for (int k = 0; k < 8; ++k)
      MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, large);
    MPI_Comm_free(&large);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    *last = 1;
    all[0] = -1;
    MPI_Allgatherv(&rank, 1, MPI_INT, all, last, &none, MPI_INT, own);
    faults += all[0] != rank;
    MPI_Comm_free(&own);
  }
  munmap(memory, 2 * page);
  free(counts);
  free(places);
  free(all);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int kind = 0; kind < 4; ++kind) neighbours(kind);
  no_result_for_the_last(3);
  no_result_for_the_last(2000);
  arrays_at_the_end_of_memory();
  finish();
  return 0;
}
