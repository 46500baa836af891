/* Two to eight ranks make known calls of collectives, one case per run; recording_test.py knows
 * which. */

#include <mpi.h>

#include <stdio.h>
#include <string.h>

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define HAS_PERSISTENT
#endif

enum { most = 8 };
static char out[4096], in[4096];
static int rank, p;
static const MPI_Comm* world;

static void whole(void) {
  MPI_Comm comm = *world;
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Bcast(out, 10, MPI_BYTE, 1, comm);
  MPI_Bcast(out, 0, MPI_BYTE, 0, comm);
  for (int i = 0; i < 2; ++i) MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Iallreduce(out, in, 4, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Ibarrier(comm, &requests[1]);
  MPI_Ibcast(out, 11, MPI_BYTE, 1, comm, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT, comm);
  MPI_Alltoall(out, 5, MPI_BYTE, in, 5, MPI_BYTE, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 5, MPI_BYTE, comm);
  MPI_Gather(out, 6, MPI_BYTE, in, 6, MPI_BYTE, 1, comm);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : out, 7, MPI_BYTE, in, 7, MPI_BYTE, 0, comm);
  MPI_Scatter(out, 8, MPI_BYTE, in, 8, MPI_BYTE, 0, comm);
  MPI_Scatter(out, 9, MPI_BYTE, rank == 1 ? MPI_IN_PLACE : in, 9, MPI_BYTE, 1, comm);
  MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 1, comm);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, comm);
}

/* The blocks of rank i have i integers, or i + 1. */
static void vectors(void) {
  MPI_Comm comm = *world;
  int counts[most], more[most], places[most], offsets[most], bytes[most], own[most], sums[most];
  MPI_Datatype types[most];
  for (int i = 0; i < p; ++i) {
    counts[i] = i;
    more[i] = i + 1;
    places[i] = 64 * i;
    offsets[i] = 4 * i;
    own[i] = rank;
    sums[i] = rank + i;
    bytes[i] = i == (rank + 1) % p ? 3 : 0;
    types[i] = MPI_INT;
  }
  int received[most] = {0};
  received[(rank + p - 1) % p] = 3;
  MPI_Allgatherv(out, rank + 1, MPI_INT, in, more, places, MPI_INT, comm);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Alltoallv(out, counts, places, MPI_BYTE, in, own, places, MPI_BYTE, comm);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, sums, places, MPI_INT, comm);
  MPI_Alltoallw(out, bytes, offsets, types, in, received, places, types, comm);
  MPI_Gatherv(out, rank, MPI_INT, in, counts, places, MPI_INT, 1, comm);
  MPI_Scatterv(out, counts, places, MPI_INT, in, rank, MPI_INT, 0, comm);
}

/* In the reverse order, freed and made again; among even and odd ranks; alone; between groups. */
static void communicators(void) {
  for (int i = 0; i < 2; ++i) {
    MPI_Comm reverse, half;
    MPI_Comm_split(*world, 0, -rank, &reverse);
    MPI_Bcast(out, 100, MPI_BYTE, 0, reverse);
    MPI_Comm_split(*world, rank % 2, rank, &half);
    MPI_Comm_free(&reverse);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, half);
    if (p > 1) {
      MPI_Comm other;
      MPI_Intercomm_create(half, 0, *world, 1 - rank % 2, 0, &other);
      MPI_Barrier(other);
      MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, other);
      MPI_Comm_free(&other);
    }
    MPI_Comm_free(&half);
  }
  MPI_Barrier(MPI_COMM_SELF);
}

static void persistent(void) {
#ifdef HAS_PERSISTENT
  MPI_Request requests[2];
  int mine[most], places[most] = {0};
  for (int i = 0; i < p; ++i) mine[i] = rank == 0 ? 0 : 1, places[i] = i;
  int theirs[most];
  for (int i = 0; i < p; ++i) theirs[i] = i == 0 ? 0 : 1;
  MPI_Allreduce_init(out, in, 3, MPI_DOUBLE, MPI_SUM, *world, MPI_INFO_NULL, &requests[0]);
  MPI_Alltoallv_init(out + 2048, mine, places, MPI_BYTE, in + 2048, theirs, places, MPI_BYTE,
                     *world, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#if MPI_VERSION >= 4
  MPI_Bcast_c(out, 77, MPI_BYTE, 1, *world);
#else
  MPI_Bcast(out, 77, MPI_BYTE, 1, *world);
#endif
#else
  puts("before MPI 4");
#endif
}

/* More sizes than are kept. */
static void sizes(void) {
  for (int i = 1; i <= 3000; ++i) MPI_Bcast(out, i, MPI_BYTE, 0, *world);
}

static void many(void) {
  for (int i = 0; i < 500; ++i) MPI_Bcast(out, 10, MPI_BYTE, 0, *world);
}

/* The time of an empty broadcast among two ranks, without a message: rank 0 counts it. */
static void timing(void) {
  enum { calls = 20000 };
  MPI_Comm pair;
  MPI_Comm_split(*world, rank / 2, -rank, &pair);
  double best = 1;
  for (int turn = 0; turn < 50; ++turn) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) MPI_Bcast(out, 0, MPI_BYTE, 1, pair);
    const double took = (MPI_Wtime() - start) / calls;
    if (took < best) best = took;
  }
  if (rank < 2) printf("rank %d of the communicator: %.1f ns per call\n", 1 - rank, best * 1e9);
  MPI_Comm_free(&pair);
}

int main(int argc, char** argv) {
  MPI_Comm all = MPI_COMM_WORLD;
  world = &all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &p);
  const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"whole", whole},
               {"vectors", vectors},
               {"communicators", communicators},
               {"persistent", persistent},
               {"sizes", sizes},
               {"timing", timing},
               {"many", many}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  MPI_Finalize();
  return 0;
}
