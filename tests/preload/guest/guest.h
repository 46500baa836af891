/* The common part of the programs in this folder. None of them uses Toccata, except duplicates.c
 * with an argument. Each checks its results, and rank 0 prints "right" or "wrong" in the last line.
 */
#ifndef GUEST_H
#define GUEST_H

#include <mpi.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, p, faults;

static inline void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
}

/* Faults are summed with a call that no tool replaces. */
static inline void finish(void) {
  int all = 0;
  PMPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "right" : "wrong");
  fflush(stdout);
  MPI_Finalize();
}

/* The number of faults in an allgather of one integer. */
static inline int allgather_once(MPI_Comm comm, int salt) {
  int me, size, result = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const int mine = 1000 * salt + me;
  int* all = malloc(sizeof(int) * size);
  if (MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm) != MPI_SUCCESS) ++result;
  for (int r = 0; r < size; ++r) result += all[r] != 1000 * salt + r;
  free(all);
  return result;
}

/* The number of faults in every collective, with blocks of n integers. On rank r, element i of a
 * block is 100 r + i; `root` is taken modulo the number of ranks. */
static inline int every_collective(MPI_Comm comm, int n, int root) {
  int me, size, result = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  root %= size;
  const int many = n * size, at_root = me == root;
  int* mine = malloc(sizeof(int) * (many + 1));
  int* got = malloc(sizeof(int) * (many + 1));
  int* counts = malloc(sizeof(int) * size);
  int* places = malloc(sizeof(int) * size);
  int* bytes = malloc(sizeof(int) * size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * size);
  for (int r = 0; r < size; ++r) {
    counts[r] = n;
    places[r] = n * r;
    bytes[r] = (int)sizeof(int) * n * r;
    types[r] = MPI_INT;
  }
  for (int i = 0; i < many; ++i) mine[i] = 100 * me + i;
  const int ranks = 100 * size * (size - 1) / 2;
#define CHECK(call, held, wanted)                                             \
  do {                                                                        \
    for (int i = 0; i < many; ++i) got[i] = -1;                               \
    if (call != MPI_SUCCESS) ++result;                                        \
    for (int i = 0; i < (held); ++i) result += got[i] != (wanted);            \
    for (int i = (held); i < many; ++i) result += (held) > 0 && got[i] != -1; \
  } while (0)
  const int gathered = at_root ? many : 0;
  CHECK(MPI_Allgather(mine, n, MPI_INT, got, n, MPI_INT, comm), many, 100 * (i / n) + i % n);
  CHECK(MPI_Allgatherv(mine, n, MPI_INT, got, counts, places, MPI_INT, comm), many,
        100 * (i / n) + i % n);
  CHECK(MPI_Alltoall(mine, n, MPI_INT, got, n, MPI_INT, comm), many,
        100 * (i / n) + n * me + i % n);
  CHECK(MPI_Alltoallv(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, comm), many,
        100 * (i / n) + n * me + i % n);
  CHECK(MPI_Alltoallw(mine, counts, bytes, types, got, counts, bytes, types, comm), many,
        100 * (i / n) + n * me + i % n);
  CHECK(MPI_Gather(mine, n, MPI_INT, got, n, MPI_INT, root, comm), gathered, 100 * (i / n) + i % n);
  CHECK(MPI_Gatherv(mine, n, MPI_INT, got, counts, places, MPI_INT, root, comm), gathered,
        100 * (i / n) + i % n);
  CHECK(MPI_Scatter(mine, n, MPI_INT, got, n, MPI_INT, root, comm), n, 100 * root + n * me + i);
  CHECK(MPI_Scatterv(mine, counts, places, MPI_INT, got, n, MPI_INT, root, comm), n,
        100 * root + n * me + i);
  CHECK(MPI_Reduce(mine, got, many, MPI_INT, MPI_SUM, root, comm), gathered, ranks + size * i);
  CHECK(MPI_Allreduce(mine, got, many, MPI_INT, MPI_SUM, comm), many, ranks + size * i);
  CHECK(MPI_Reduce_scatter_block(mine, got, n, MPI_INT, MPI_SUM, comm), n,
        ranks + size * (n * me + i));
  CHECK(MPI_Reduce_scatter(mine, got, counts, MPI_INT, MPI_SUM, comm), n,
        ranks + size * (n * me + i));
  CHECK(MPI_Scan(mine, got, many, MPI_INT, MPI_SUM, comm), many,
        100 * me * (me + 1) / 2 + (me + 1) * i);
  CHECK(MPI_Exscan(mine, got, many, MPI_INT, MPI_SUM, comm), me > 0 ? many : 0,
        100 * me * (me - 1) / 2 + me * i);
#undef CHECK
  if (MPI_Barrier(comm) != MPI_SUCCESS) ++result;
  if (MPI_Bcast(mine, many, MPI_INT, root, comm) != MPI_SUCCESS) ++result;
  for (int i = 0; i < many; ++i) result += mine[i] != 100 * root + i;
  free(mine);
  free(got);
  free(counts);
  free(places);
  free(bytes);
  free(types);
  return result;
}

/* The bytes that malloc has given out, including large pieces. */
static inline long memory_in_use(void) {
  const struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}

#endif
