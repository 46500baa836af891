/* Four ranks send known messages, one case per run; recording_test.py knows how many. */

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define HAS_PARTITIONED
#endif

static char out[4096], in[16][4096];
static int rank, above, below;

/* One message to the next rank by each function, of 10, 20, ... bytes. */
static void sends(void) {
  MPI_Request requests[12], kept[2], sent[3];
  char buffer[4096 + MPI_BSEND_OVERHEAD];
  for (int i = 0; i < 12; ++i)
    MPI_Irecv(in[i], 4096, MPI_BYTE, below, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(out, 10, MPI_BYTE, above, 0, MPI_COMM_WORLD, &sent[0]);
  MPI_Issend(out, 20, MPI_BYTE, above, 1, MPI_COMM_WORLD, &sent[1]);
  MPI_Irsend(out, 30, MPI_BYTE, above, 2, MPI_COMM_WORLD, &sent[2]);
  MPI_Bsend(out, 40, MPI_BYTE, above, 3, MPI_COMM_WORLD);
  MPI_Rsend(out, 50, MPI_BYTE, above, 4, MPI_COMM_WORLD);
  MPI_Send(out, 15, MPI_INT, above, 5, MPI_COMM_WORLD);
  MPI_Send(out, 0, MPI_BYTE, above, 6, MPI_COMM_WORLD);
  MPI_Send_init(out, 70, MPI_BYTE, above, 7, MPI_COMM_WORLD, &kept[0]);
  MPI_Ssend_init(out, 80, MPI_BYTE, above, 8, MPI_COMM_WORLD, &kept[1]);
  MPI_Start(&kept[0]);
  MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[7], MPI_STATUS_IGNORE);
  MPI_Irecv(in[7], 4096, MPI_BYTE, below, 7, MPI_COMM_WORLD, &requests[7]);
  MPI_Startall(2, kept);
  MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
  MPI_Request_free(&kept[0]);
  MPI_Request_free(&kept[1]);
  MPI_Recv_init(in[0], 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &kept[0]);
  MPI_Start(&kept[0]); /* maybe with the handle of a send */
  MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&kept[0]);
  MPI_Ssend(out, 90, MPI_BYTE, above, 9, MPI_COMM_WORLD);
  MPI_Sendrecv(out, 100, MPI_BYTE, above, 12, in[12], 4096, MPI_BYTE, below, 12, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(out, 110, MPI_BYTE, above, 13, below, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 1000, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Send(out, 120, MPI_BYTE, above, 10, MPI_COMM_WORLD);
  MPI_Send(out, 130, MPI_BYTE, above, 11, MPI_COMM_WORLD);
  MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
  MPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
  int size;
  void* detached;
  MPI_Buffer_detach(&detached, &size);
  MPI_Sendrecv(out, 7, MPI_BYTE, rank, 0, in[0], 7, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE); /* to itself */
}

/* Rank 1 of each half sends 8 bytes to its rank 0, in reverse order; the halves are freed. */
static void communicators(void) {
  for (int i = 0; i < 6; ++i) {
    MPI_Comm half;
    int place;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 == 0 ? rank / 2 : rank % 2, -rank, &half);
    MPI_Comm_rank(half, &place);
    if (place == 1) MPI_Send(out, 8, MPI_BYTE, 0, 0, half);
    if (place == 0) MPI_Recv(in[0], 8, MPI_BYTE, 1, 0, half, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
  }
}

/* 16 bytes to the same rank of the other half. */
static void between(void) {
  MPI_Comm half, other;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &other);
  MPI_Sendrecv(out, 16, MPI_BYTE, rank % 2, 0, in[0], 16, MPI_BYTE, rank % 2, 0, other,
               MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&other);
  MPI_Comm_free(&half);
}

/* On a 2 x 2 mesh, on a ring of a distributed graph, and on the same ring as a graph. */
static void neighborhoods(void) {
  MPI_Comm mesh, ring, graph;
  MPI_Request request;
  const int dims[] = {2, 2}, periods[] = {0, 0}, counts[] = {1, 2, 3, 4}, places[] = {0, 8, 16, 32};
  const MPI_Aint offsets[] = {0, 64, 128, 192};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &mesh);
  MPI_Neighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, mesh);
  MPI_Ineighbor_alltoall(out, 7, MPI_BYTE, in, 7, MPI_BYTE, mesh, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int mine[] = {1 + rank, 1 + rank, 1 + rank, 1 + rank};
  const int theirs[] = {1 + (rank ^ 2), 1 + (rank ^ 2), 1 + (rank ^ 1), 1 + (rank ^ 1)};
  MPI_Neighbor_alltoallv(out, mine, places, MPI_BYTE, in, theirs, places, MPI_BYTE, mesh);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &below, MPI_UNWEIGHTED, 1, &above,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_alltoallw(out, counts + 2, offsets, types, in, counts + 2, offsets, types, ring);
  const int index[] = {2, 4, 6, 8}, edges[] = {1, 3, 2, 0, 3, 1, 0, 2};
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
  MPI_Neighbor_allgather(out, 1, MPI_BYTE, in, 1, MPI_BYTE, graph);
#ifdef HAS_PARTITIONED
  MPI_Neighbor_alltoall_init(out, 3, MPI_BYTE, in, 3, MPI_BYTE, ring, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
  MPI_Comm_free(&mesh);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&graph);
}

/* In a window of the ranks in reverse order: the target above has the rank below. */
static void one_sided(void) {
  MPI_Comm reverse;
  MPI_Win win;
  MPI_Request requests[2];
  static int memory[64], value = 1, result[8];
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
  const int target = (3 - rank + 1) % 4;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, reverse, &win);
  MPI_Win_lock_all(0, win);
  MPI_Put(out, 10, MPI_INT, target, 0, 10, MPI_INT, win);
  MPI_Get(in, 5, MPI_INT, target, 0, 5, MPI_INT, win);
  MPI_Win_flush_all(win);
  MPI_Accumulate(&value, 1, MPI_INT, target, 10, 1, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(&value, result, MPI_INT, target, 11, MPI_SUM, win);
  MPI_Fetch_and_op(NULL, result, MPI_INT, target, 11, MPI_NO_OP, win);
  MPI_Compare_and_swap(&value, &value, result, MPI_INT, target, 12, win);
  MPI_Get_accumulate(&value, 1, MPI_INT, result, 1, MPI_INT, target, 13, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Rput(out, 3, MPI_INT, target, 20, 3, MPI_INT, win, &requests[0]);
  MPI_Rget(in[1], 2, MPI_INT, target, 30, 2, MPI_INT, win, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Put(out, 100, MPI_INT, MPI_PROC_NULL, 0, 100, MPI_INT, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&reverse);
}

static void partitioned(void) {
#ifdef HAS_PARTITIONED
  MPI_Request requests[2];
  MPI_Psend_init(out, 4, 25, MPI_INT, above, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 4, 25, MPI_INT, below, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    for (int part = 0; part < 4; ++part) MPI_Pready(part, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Isendrecv(out, 9, MPI_BYTE, above, 1, in, 9, MPI_BYTE, below, 1, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  MPI_Sendrecv_c(out, 11, MPI_BYTE, above, 1, in, 11, MPI_BYTE, below, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#else
  MPI_Sendrecv(out, 11, MPI_BYTE, above, 1, in, 11, MPI_BYTE, below, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#endif
#else
  puts("before MPI 4");
#endif
}

/* The time of a send of 8 bytes to MPI_COMM_SELF's only rank, already received: without a wait. */
static void timing(void) {
  enum { calls = 20000 };
  MPI_Request* requests = malloc(calls * sizeof *requests);
  double best = 1;
  for (int turn = 0; turn < 20; ++turn) {
    for (int i = 0; i < calls; ++i)
      MPI_Irecv(in[0], 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests[i]);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) MPI_Send(out, 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    const double took = (MPI_Wtime() - start) / calls;
    if (took < best) best = took;
    MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 0) printf("%.1f ns per send\n", best * 1e9);
  free(requests);
}

/* Only the first and the last of these messages count, of 5 and 6 bytes, and one barrier. */
static void pauses(void) {
  MPI_Request kept;
  MPI_Sendrecv(out, 5, MPI_BYTE, above, 0, in[0], 5, MPI_BYTE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Pcontrol(0);
  MPI_Sendrecv(out, 50, MPI_BYTE, above, 0, in[0], 50, MPI_BYTE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send_init(out, 6, MPI_BYTE, above, 0, MPI_COMM_WORLD, &kept);
  for (int i = 0; i < 2; ++i) {
    if (i == 1) MPI_Pcontrol(1, "more", 1.0);
    MPI_Start(&kept);
    MPI_Recv(in[0], 6, MPI_BYTE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&kept);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A message and a broadcast in each phase, of as many bytes as its number, and a start of a
 * persistent send; then more phases than the record keeps apart. */
static void phases(void) {
  static const int numbers[] = {7, -7, 1, 100, 7};
  MPI_Request kept;
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
  MPI_Send_init(out, 6, MPI_BYTE, (3 - rank + 1) % 4, 0, reverse, &kept); /* to the rank below */
  for (int i = 0; i < 5; ++i) {
    const int size = abs(numbers[i]);
    MPI_Pcontrol(numbers[i]);
    MPI_Sendrecv(out, size, MPI_BYTE, above, 0, in[0], size, MPI_BYTE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Bcast(out, size, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Start(&kept);
    MPI_Recv(in[0], 6, MPI_BYTE, MPI_ANY_SOURCE, 0, reverse, MPI_STATUS_IGNORE);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&kept);
  MPI_Comm_free(&reverse);
  for (int step = 1000; step < 1020; ++step) {
    MPI_Pcontrol(step);
    MPI_Sendrecv(out, 1, MPI_BYTE, above, 0, in[0], 1, MPI_BYTE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  above = (rank + 1) % 4;
  below = (rank + 3) % 4;
  const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"sends", sends},         {"communicators", communicators},
               {"between", between},     {"neighborhoods", neighborhoods},
               {"one_sided", one_sided}, {"partitioned", partitioned},
               {"pauses", pauses},       {"phases", phases},
               {"timing", timing}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  MPI_Finalize();
  return 0;
}
