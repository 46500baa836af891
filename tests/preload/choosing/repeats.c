// Calls collectives many times, and checks the results:
// repeats CALLS [BYTES [split|vector|sums|again|nonblocking|persistent]]
// `again` uses a duplicate, a tenth as often. The last two gather with such calls, in which rank 0
// is sometimes late; `nonblocking` also exchanges a different number of bytes with each rank. The
// last calls use a communicator whose info requests a ring.
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allgather_init MPIX_Allgather_init
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int faults = 0;

static void gather_all(MPI_Comm comm, int bytes, int call) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  char *mine = malloc(bytes), *all = malloc((size_t)bytes * p);
  memset(mine, rank + call, bytes);
  MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
  for (int i = 0; i < bytes * p; ++i) faults += all[i] != (char)(i / bytes + call);
  free(mine);
  free(all);
}

// The same with nonblocking calls, one or three at a time.
static void gather_all_at_once(MPI_Comm comm, int bytes, int call) {
  enum { most = 3 };
  const int count = call % 3 == 0 ? most : 1;
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  char *mine[most], *all[most];
  MPI_Request requests[most];
  for (int i = 0; i < count; ++i) {
    mine[i] = malloc(bytes), all[i] = malloc((size_t)bytes * p);
    memset(mine[i], rank + call + i, bytes);
    if (rank == 0 && call % 16 == 5) usleep(300);
    MPI_Iallgather(mine[i], bytes, MPI_BYTE, all[i], bytes, MPI_BYTE, comm, &requests[i]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < bytes * p; ++j) faults += all[i][j] != (char)(j / bytes + call + i);
    free(mine[i]), free(all[i]);
  }
}

// The same with a persistent call.
static void gather_all_again(MPI_Comm comm, int bytes, int calls) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  char *mine = malloc(bytes), *all = malloc((size_t)bytes * p);
  MPI_Request request;
  MPI_Allgather_init(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, MPI_INFO_NULL, &request);
  for (int call = 0; call < calls; ++call) {
    memset(mine, rank + call, bytes);
    if (rank == 0 && call % 16 == 5) usleep(300);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < bytes * p; ++i) faults += all[i] != (char)(i / bytes + call);
  }
  MPI_Request_free(&request);
  free(mine), free(all);
}

// Each rank sends a different number of bytes to each other one, and the numbers change in every
// call. Some ranks send nothing.
static void exchange(MPI_Comm comm, int bytes, int call, int nonblocking) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  int *sends = malloc(p * sizeof(int)), *recvs = malloc(p * sizeof(int));
  int *from = malloc(p * sizeof(int)), *into = malloc(p * sizeof(int));
  char *mine = malloc(2 * bytes * p), *all = malloc(2 * bytes * p);
  for (int i = 0; i < p; ++i) {
    sends[i] = (rank + 2 * i + call) % (2 * bytes);
    recvs[i] = (i + 2 * rank + call) % (2 * bytes);
    from[i] = into[i] = 2 * bytes * i;
    memset(mine + from[i], rank + i + call, sends[i]);
  }
  if (nonblocking) {
    MPI_Request request;
    MPI_Ialltoallv(mine, sends, from, MPI_BYTE, all, recvs, into, MPI_BYTE, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Alltoallv(mine, sends, from, MPI_BYTE, all, recvs, into, MPI_BYTE, comm);
  }
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < recvs[i]; ++j) faults += all[into[i] + j] != (char)(rank + i + call);
  free(sends), free(recvs), free(from), free(into), free(mine), free(all);
}

static void cast(MPI_Comm comm, int bytes, int call) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  char* data = malloc(bytes);
  memset(data, rank == call % p ? call : -1, bytes);
  MPI_Bcast(data, bytes, MPI_BYTE, call % p, comm);
  for (int i = 0; i < bytes; ++i) faults += data[i] != (char)call;
  free(data);
}

static void sum(MPI_Comm comm, int call) {
  int rank, p, all;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const int mine = rank * call;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  faults += all != call * p * (p - 1) / 2;
  const double part = 1.0 / (rank + 1);
  double whole;
  MPI_Allreduce(&part, &whole, 1, MPI_DOUBLE, MPI_SUM, comm);
  faults += whole < 1;
}

// Sums of floating-point numbers, by all functions for them. The numbers are small integers, so the
// results are exact.
static void sums(MPI_Comm comm, int call) {
  enum { most = 64 };
  int rank, p, counts[most];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  double mine[2 * most], result[2] = {-1, -1};
  for (int i = 0; i < p; ++i) counts[i] = 1 + i % 2;
  for (int i = 0; i < 2 * most; ++i) mine[i] = rank + call % 100;
  const double first = call % 100, below = first * rank + rank * (rank - 1) / 2;
  const double all = first * p + p * (p - 1) / 2;
  MPI_Reduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, call % p, comm);
  faults += rank == call % p && result[0] != all;
  MPI_Scan(mine, result, 1, MPI_DOUBLE, MPI_SUM, comm);
  faults += result[0] != below + mine[0];
  MPI_Exscan(mine, result, 1, MPI_DOUBLE, MPI_SUM, comm);
  faults += rank > 0 && result[0] != below;
  MPI_Reduce_scatter_block(mine, result, 1, MPI_DOUBLE, MPI_SUM, comm);
  faults += result[0] != all;
  MPI_Reduce_scatter(mine, result, counts, MPI_DOUBLE, MPI_SUM, comm);
  faults += result[0] != all || (counts[rank] == 2 && result[1] != all);
  enum { pairs = 1000 };  // with gaps
  static struct {
    double value;
    int place;
  } here[pairs], least[pairs];
  for (int i = 0; i < pairs; ++i) here[i].value = (rank + i + call) % p, here[i].place = rank;
  MPI_Allreduce(here, least, pairs, MPI_DOUBLE_INT, MPI_MINLOC, comm);
  for (int i = 0; i < pairs; ++i) {
    faults += least[i].value != 0 || (least[i].place + i + call) % p != 0;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = atoi(argv[1]), bytes = argc > 2 ? atoi(argv[2]) : 16;
  const int split = argc > 3 && strcmp(argv[3], "split") == 0;
  const int vector = argc > 3 && strcmp(argv[3], "vector") == 0;
  const int many_sums = argc > 3 && strcmp(argv[3], "sums") == 0;
  const int nonblocking = argc > 3 && strcmp(argv[3], "nonblocking") == 0;
  if (argc > 3 && strcmp(argv[3], "persistent") == 0) {
    for (int request = 0; request < 2; ++request) gather_all_again(MPI_COMM_WORLD, bytes, calls);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int call = 0; call < calls; ++call) {
    if (nonblocking) gather_all_at_once(MPI_COMM_WORLD, bytes, call);
    if (nonblocking) exchange(MPI_COMM_WORLD, bytes, call, 1);
    if (nonblocking && call % 10 != 9) continue;
    gather_all(MPI_COMM_WORLD, bytes, call);
    cast(MPI_COMM_WORLD, bytes, call);
    sum(MPI_COMM_WORLD, call);
    MPI_Barrier(MPI_COMM_WORLD);
    if (many_sums) sums(MPI_COMM_WORLD, call);
    if (vector) exchange(MPI_COMM_WORLD, bytes, call, 0);
    if (split) gather_all(half, bytes, call);
    if (split && call % 100 == 99) {  // perhaps in the middle of a trial
      MPI_Comm_free(&half);
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    }
  }
  MPI_Comm_free(&half);
  if (argc > 3 && strcmp(argv[3], "again") == 0) {
    MPI_Comm again;
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    for (int call = 0; call < calls / 10; ++call) gather_all(again, bytes, call);
    MPI_Comm_free(&again);
  }
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "toccata_allgather", "ring");
  MPI_Comm asking;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &asking);
  if (split) gather_all(asking, bytes, 1);
  MPI_Comm_free(&asking);
  MPI_Info_set(info, "toccata_allgather", "bruck");
  MPI_Comm_dup(MPI_COMM_WORLD, &asking);
  MPI_Comm_set_info(asking, info);
  if (split) gather_all(asking, bytes, 1);
  MPI_Comm_free(&asking);
  MPI_Info_free(&info);
  int all;
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
