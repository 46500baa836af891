/* Collectives among neighbours on many graphs, compared with the MPI library's own (PMPI). Graphs
   are random, with edges of 0 bytes, ranks without neighbours and, for an odd seed, repeated edges
   and edges to the rank itself. Rank 0 prints "right".

     neighborhoods SEED [ROUNDS]                                                                 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 24, longest = 320 }; /* edges of a rank, elements of a block */
enum { graphs = 4 };
static int rank, p, faults;
static unsigned seed;

/* The same sequence on every rank. */
static unsigned next(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }

typedef struct {
  MPI_Comm comm;
  int in, out, sources[most], destinations[most];
} Graph;

static void add_edge(Graph* graph, int from, int to) {
  if (from == rank && graph->out < most) graph->destinations[graph->out++] = to;
  if (to == rank && graph->in < most) graph->sources[graph->in++] = from;
}

/* If edges may repeat, one does. */
static Graph random_graph(int repeats) {
  Graph made = {.in = 0};
  for (int i = 0; i < 2 * repeats; ++i) add_edge(&made, 0, p - 1);
  for (int from = 0; from < p; ++from) {
    int taken[64] = {0};
    for (int left = (int)(next() % 5); left > 0; --left) {
      const int to = (int)(next() % (unsigned)p);
      if (repeats || (!taken[to]++ && to != from)) add_edge(&made, from, to);
    }
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, made.in, made.sources, MPI_UNWEIGHTED, made.out,
                                 made.destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  return made;
}

/* With `periodic` and few ranks, the neighbours of a rank are often the same. */
static Graph torus(int periodic) {
  Graph made = {.in = 4, .out = 4};
  int dims[2] = {0, 0}, periods[2] = {periodic, periodic};
  MPI_Dims_create(p, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made.comm);
  for (int i = 0; i < 2; ++i)
    MPI_Cart_shift(made.comm, i, 1, &made.sources[2 * i], &made.sources[2 * i + 1]);
  memcpy(made.destinations, made.sources, sizeof made.sources);
  return made;
}

/* The elements of the block on an edge: the same on both ends, and different in other calls. */
static int length(int from, int to, int lengths) {
  return from < 0 || to < 0 ? 0 : (from * 7 + to * 3 + lengths) % 5 * 64;
}

static int sent[most * longest], ours[most * longest], native[most * longest];

/* The places of those blocks: without gaps between them, or in equal distances. */
static void place(const int* lengths, int blocks, int packed, int* places) {
  for (int i = 0, next = 0; i < blocks; next += packed ? lengths[i] : longest, ++i)
    places[i] = next;
}

/* On every other communicator, sixteen calls have the same lengths, and places of two kinds for
   each array. So calls of four kinds alternate, and the later ones of a kind go directly to the
   shared memory. Blocks with gaps on one rank meet those without on another. */
static void call_all(const Graph* graph, int call, int with_requests) {
  const int of_graph = call / graphs, lengths = call % 2 ? of_graph / 16 : of_graph;
  int from[most], into[most], places_from[most], places_into[most];
  MPI_Aint bytes_from[most], bytes_into[most];
  MPI_Datatype types[most];
  MPI_Comm comm = graph->comm;
  const int n = 37 * lengths % longest, own = length(rank, 0, lengths);
  for (int i = 0; i < most; ++i) {
    bytes_from[i] = bytes_into[i] = i * longest * (int)sizeof(int);
    types[i] = MPI_INT;
    from[i] = i < graph->out ? length(rank, graph->destinations[i], lengths) : 0;
    into[i] = i < graph->in ? length(graph->sources[i], rank, lengths) : 0;
  }
  place(from, most, (of_graph + rank) % 2, places_from);
  place(into, most, of_graph / 2 % 2, places_into);
  for (int i = 0; i < most * longest; ++i) sent[i] = 10000000 * rank + 10000 * call + i;
#define COMPARE(function, ...)                        \
  do {                                                \
    memset(ours, 0xff, sizeof ours);                  \
    memset(native, 0xff, sizeof native);              \
    {                                                 \
      int* const got = ours;                          \
      MPI_##function(__VA_ARGS__);                    \
    }                                                 \
    {                                                 \
      int* const got = native;                        \
      PMPI_##function(__VA_ARGS__);                   \
    }                                                 \
    faults += memcmp(ours, native, sizeof ours) != 0; \
  } while (0)
#define COMPARE_REQUEST(function, ...)                \
  do {                                                \
    memset(ours, 0xff, sizeof ours);                  \
    memset(native, 0xff, sizeof native);              \
    MPI_Request two[2];                               \
    {                                                 \
      int* const got = ours;                          \
      MPI_##function(__VA_ARGS__, &two[0]);           \
    }                                                 \
    {                                                 \
      int* const got = native;                        \
      PMPI_##function(__VA_ARGS__, &two[1]);          \
    }                                                 \
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);         \
    faults += memcmp(ours, native, sizeof ours) != 0; \
  } while (0)
  int own_into[most] = {0}, places_own[most];
  for (int i = 0; i < graph->in; ++i) own_into[i] = length(graph->sources[i], 0, lengths);
  place(own_into, most, of_graph / 2 % 2, places_own);
  if (with_requests) {
    COMPARE_REQUEST(Ineighbor_allgather, sent, n, MPI_INT, got, n, MPI_INT, comm);
    COMPARE_REQUEST(Ineighbor_alltoallv, sent, from, places_from, MPI_INT, got, into, places_into,
                    MPI_INT, comm);
    return;
  }
  COMPARE(Neighbor_allgather, sent, n, MPI_INT, got, n, MPI_INT, comm);
  COMPARE(Neighbor_allgatherv, sent, own, MPI_INT, got, own_into, places_own, MPI_INT, comm);
  COMPARE(Neighbor_alltoall, sent, n, MPI_INT, got, n, MPI_INT, comm);
  COMPARE(Neighbor_alltoallv, sent, from, places_from, MPI_INT, got, into, places_into, MPI_INT,
          comm);
#if !defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 40100000 /* MPICH 4.0 itself loses blocks */
  COMPARE(Neighbor_alltoallw, sent, from, bytes_from, types, got, into, bytes_into, types, comm);
#endif
}

#if MPI_VERSION >= 4
static void persistent(const Graph* graph, int starts) {
  MPI_Request request;
  const int n = 5;
  memset(native, 0xff, sizeof native);
  memset(ours, 0xff, sizeof ours);
  for (int i = 0; i < most * longest; ++i) sent[i] = 10000000 * rank + i;
  PMPI_Neighbor_alltoall(sent, n, MPI_INT, native, n, MPI_INT, graph->comm);
  MPI_Neighbor_alltoall_init(sent, n, MPI_INT, ours, n, MPI_INT, graph->comm, MPI_INFO_NULL,
                             &request);
  for (int i = 0; i < starts; ++i) {
    memset(ours, 0xff, sizeof ours);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    faults += memcmp(ours, native, sizeof ours) != 0;
  }
  MPI_Request_free(&request);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  const int repeats = (int)(seed % 2), rounds = argc > 2 ? atoi(argv[2]) : 120;
  srand(seed + (unsigned)rank);
  Graph all[graphs];
  for (int i = 0; i < graphs - 1; ++i) all[i] = random_graph(repeats);
  all[graphs - 1] = torus(repeats);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < graphs; ++i) {
      if (rand() % 16 == 0) usleep((unsigned)(rand() % 500));
      /* Requests on one of them only: they may wait for a blocking call. */
      call_all(&all[i], round * graphs + i, i == 1 && round % 2);
      if (round == rounds / 2 && i == 0) {
        MPI_Comm_free(&all[i].comm);
        all[i] = random_graph(repeats);
      }
    }
#if MPI_VERSION >= 4
  for (int i = 0; i < graphs; ++i) persistent(&all[i], 20);
#endif
  for (int i = 0; i < graphs; ++i) MPI_Comm_free(&all[i].comm);
  int all_faults = 0;
  MPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
