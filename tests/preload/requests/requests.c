/* Nonblocking and persistent collectives of a program that does not use Toccata. Each result is
 * compared with that of the native blocking function. Rank 0 prints "right", or the error.
 *
 *   requests random SEED STEPS   every function, datatype, operation and buffer; up to 12 requests
 *                                at a time, including messages, completed by every MPI function
 *   requests many                200 at a time, completed in another order on each rank
 *   requests large               odd ranks call the functions for large counts, if MPI has them
 *   requests pairs               rank 0 advances a collective inside every blocking function
 *   requests yields              a rank with 100 open requests yields the core once per test
 *   requests consensus           ranks learn from a barrier that all messages have arrived
 *   requests starts              persistent requests, started in another order on each rank
 *   requests idle                persistent requests that were never started, or have ended
 *   requests ends                communicators freed early; a request without a wait
 *   requests communicators N M   M nonblocking calls on each of N communicators, begun in another
 *                                order on each rank
 *   requests open                1500 at a time, 150 of them persistent, on 100 communicators
 *   requests errors              wrong arguments, MPI_Cancel: the same as without Toccata
 *   requests overlap             ranks sleep between start and wait
 *   requests threads             four threads, each with a communicator of its own
 */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(Name) MPIX_##Name##_init
#else
#define PERSISTENT(Name) MPI_##Name##_init
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum function {
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  BCAST,
  GATHER,
  GATHERV,
  SCATTER,
  SCATTERV,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER_BLOCK,
  REDUCE_SCATTER,
  SCAN,
  EXSCAN,
  BARRIER,
  NEIGHBOR_ALLGATHER,
  NEIGHBOR_ALLGATHERV,
  NEIGHBOR_ALLTOALL,
  NEIGHBOR_ALLTOALLV,
  NEIGHBOR_ALLTOALLW,
  FUNCTIONS
};
enum form { REFERENCE, NONBLOCKING, START };
enum { most_ranks = 16, most_blocks = 16, most_bytes = 1 << 17 };

/* The MPI library finds this function before the C library's, and so the program counts yields. */
static int yields;
long syscall(long, ...);
int sched_yield(void) {
  ++yields;
  return (int)syscall(SYS_sched_yield);
}

static int rank, p, faults;
static char complaint[200];

static void wrong(const char* what, int number) {
  if (faults++ == 0) snprintf(complaint, sizeof complaint, "rank %d: %s %d", rank, what, number);
}

/* Two generators of random numbers: one has the same seed on all ranks, the other one has a seed
 * per rank. */
struct draw {
  unsigned long long state;
};
static unsigned draw(struct draw* from, unsigned below) {
  from->state = from->state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(from->state >> 33) % below;
}

struct call {
  enum function function;
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  int in_place, root, n, size, rank, outdegree, indegree;
  MPI_Aint extent;
  int sends[most_blocks], receives[most_blocks], from[most_blocks], to[most_blocks];
  int own_sends[most_blocks], own_from[most_blocks];
  MPI_Aint from_bytes[most_blocks], to_bytes[most_blocks];
  MPI_Datatype types[most_blocks];
  char *send, *got, *expected, *before;
  MPI_Request request;
  int persistent, is_message;
};

#define EACH(Name, name, ...)                                  \
  return form == REFERENCE ? PMPI_##Name(__VA_ARGS__, c->comm) \
         : form == NONBLOCKING                                 \
             ? MPI_I##name(__VA_ARGS__, c->comm, &c->request)  \
             : PERSISTENT(Name)(__VA_ARGS__, c->comm, MPI_INFO_NULL, &c->request)

static int make(struct call* c, enum form form) {
  char* const recv = form == REFERENCE ? c->expected : c->got;
  const int at_root = c->rank == c->root;
  const void* const send = c->in_place ? MPI_IN_PLACE : c->send;
  const void* const root_send = c->in_place && at_root ? MPI_IN_PLACE : c->send;
  void* const root_recv = c->in_place && at_root ? MPI_IN_PLACE : (void*)recv;
  const MPI_Datatype t = c->type;
  const int n = c->n;
  switch (c->function) {
    case ALLGATHER:
      EACH(Allgather, allgather, send, n, t, recv, n, t);
    case ALLGATHERV:
      EACH(Allgatherv, allgatherv, send, c->receives[c->rank], t, recv, c->receives, c->to, t);
    case ALLTOALL:
      EACH(Alltoall, alltoall, send, n, t, recv, n, t);
    case ALLTOALLV:
      EACH(Alltoallv, alltoallv, send, c->own_sends, c->own_from, t, recv, c->sends, c->from, t);
    case ALLTOALLW:
      EACH(Alltoallw, alltoallw, send, c->receives, c->to, c->types, recv, c->receives, c->to,
           c->types);
    case BCAST:
      EACH(Bcast, bcast, recv, n, t, c->root);
    case GATHER:
      EACH(Gather, gather, root_send, n, t, recv, n, t, c->root);
    case GATHERV:
      EACH(Gatherv, gatherv, root_send, c->receives[c->rank], t, recv, c->receives, c->to, t,
           c->root);
    case SCATTER:
      EACH(Scatter, scatter, c->send, n, t, root_recv, n, t, c->root);
    case SCATTERV:
      EACH(Scatterv, scatterv, c->send, c->receives, c->to, t, root_recv, c->receives[c->rank], t,
           c->root);
    case REDUCE:
      EACH(Reduce, reduce, root_send, recv, n, t, c->op, c->root);
    case ALLREDUCE:
      EACH(Allreduce, allreduce, send, recv, n, t, c->op);
    case REDUCE_SCATTER_BLOCK:
      EACH(Reduce_scatter_block, reduce_scatter_block, send, recv, n, t, c->op);
    case REDUCE_SCATTER:
      EACH(Reduce_scatter, reduce_scatter, send, recv, c->receives, t, c->op);
    case SCAN:
      EACH(Scan, scan, send, recv, n, t, c->op);
    case EXSCAN:
      EACH(Exscan, exscan, send, recv, n, t, c->op);
    case BARRIER:
      return form == REFERENCE     ? PMPI_Barrier(c->comm)
             : form == NONBLOCKING ? MPI_Ibarrier(c->comm, &c->request)
                                   : PERSISTENT(Barrier)(c->comm, MPI_INFO_NULL, &c->request);
    case NEIGHBOR_ALLGATHER:
      EACH(Neighbor_allgather, neighbor_allgather, c->send, n, t, recv, n, t);
    case NEIGHBOR_ALLGATHERV:
      EACH(Neighbor_allgatherv, neighbor_allgatherv, c->send, n % 7, t, recv, c->sends, c->from, t);
    case NEIGHBOR_ALLTOALL:
      EACH(Neighbor_alltoall, neighbor_alltoall, c->send, n, t, recv, n, t);
    case NEIGHBOR_ALLTOALLV:
      EACH(Neighbor_alltoallv, neighbor_alltoallv, c->send, c->sends, c->from, t, recv, c->sends,
           c->from, t);
    default:
      EACH(Neighbor_alltoallw, neighbor_alltoallw, c->send, c->sends, c->from_bytes, c->types, recv,
           c->sends, c->from_bytes, c->types);
  }
}

static int reduces(enum function f) { return f >= REDUCE && f <= EXSCAN; }
static int is_among_neighbors(enum function f) { return f >= NEIGHBOR_ALLGATHER; }

/* Small integers, so that every order of additions gives the same sum. */
static void fill(struct call* c, char* into, struct draw* own) {
  if (reduces(c->function) && c->type == MPI_DOUBLE) {
    for (int i = 0; i < most_bytes / 8; ++i) ((double*)into)[i] = (double)draw(own, 8);
  } else if (reduces(c->function) && c->type == MPI_2INT) {
    for (int i = 0; i < most_bytes / 4; ++i) ((int*)into)[i] = (int)draw(own, 5);
  } else {
    for (int i = 0; i < most_bytes / 4; ++i) ((int*)into)[i] = (int)draw(own, 1000);
  }
}

static MPI_Datatype spread; /* two integers with a gap */

/* Chooses n elements; -1 means a random number. */
static struct call* new_call(enum function f, int n, MPI_Comm comm, struct draw* all,
                             struct draw* own) {
  struct call* const c = calloc(1, sizeof *c);
  MPI_Aint lower;
  c->function = f;
  c->comm = comm;
  MPI_Comm_size(comm, &c->size);
  MPI_Comm_rank(comm, &c->rank);
  c->root = (int)draw(all, (unsigned)c->size);
  c->n = n >= 0 ? n : (int)(draw(all, 4) == 0 ? draw(all, 400) : draw(all, 6));
  c->in_place = draw(all, 3) == 0;
  const unsigned type = draw(all, 3);
  if (reduces(f)) {
    c->type = type == 0 ? MPI_INT : type == 1 ? MPI_DOUBLE : MPI_2INT;
    const unsigned op = draw(all, 3);
    c->op = type == 2 ? (op == 0 ? MPI_MAXLOC : MPI_MINLOC)
                      : (op == 0   ? MPI_SUM
                         : op == 1 ? MPI_MAX
                                   : MPI_PROD);
    if (c->op == MPI_PROD) c->op = MPI_MIN; /* products of many operands overflow */
  } else {
    c->type = type == 0 ? MPI_INT : type == 1 ? MPI_DOUBLE : spread;
  }
  MPI_Type_get_extent(c->type, &lower, &c->extent);
  int place = 0;
  for (int i = 0; i < most_blocks; ++i) {
    c->receives[i] = c->n == 0 ? (int)draw(all, 2) : (c->n + 5 * i) % 7;
    c->to[i] = place;
    place += c->receives[i] + (f == REDUCE_SCATTER ? 0 : (int)draw(all, 2));
    c->types[i] = c->type;
  }
  /* From rank i to rank j come (n + i + j) mod 6 elements. */
  place = 0;
  for (int i = 0; i < most_blocks; ++i) {
    c->sends[i] = c->own_sends[i] = is_among_neighbors(f) ? c->n % 7 : (c->n + c->rank + i) % 6;
    c->from[i] = c->own_from[i] = place;
    c->from_bytes[i] = place * c->extent;
    place += c->sends[i] + 1;
  }
  if (f == ALLTOALLW) { /* both ranks of a pair must use the same size */
    for (int i = 0; i < most_blocks; ++i) {
      c->receives[i] = c->sends[i];
      c->to[i] = (int)(c->from[i] * c->extent);
    }
  }
  c->send = malloc(most_bytes);
  c->got = malloc(most_bytes);
  c->expected = malloc(most_bytes);
  c->before = malloc(most_bytes);
  fill(c, c->send, own);
  fill(c, c->before, own);
  memcpy(c->got, c->before, most_bytes);
  memcpy(c->expected, c->before, most_bytes);
  if (is_among_neighbors(f)) c->in_place = 0;
  return c;
}

static void refill(struct call* c, struct draw* own) {
  fill(c, c->send, own);
  fill(c, c->before, own);
  memcpy(c->got, c->before, most_bytes);
  memcpy(c->expected, c->before, most_bytes);
}

static void check(struct call* c) {
  if (c->is_message) {
    if (((int*)c->got)[0] != 4711) wrong("message", 0);
    return;
  }
  make(c, REFERENCE);
  /* In place, the input after a rank's own block is undefined. */
  size_t bytes = most_bytes;
  if (c->in_place && c->function == REDUCE_SCATTER) bytes = c->receives[c->rank] * c->extent;
  if (c->in_place && c->function == REDUCE_SCATTER_BLOCK) bytes = c->n * c->extent;
  if (memcmp(c->got, c->expected, bytes) != 0) wrong("function", (int)c->function);
}

static void end(struct call* c) {
  if (c->request != MPI_REQUEST_NULL) MPI_Request_free(&c->request);
  free(c->send);
  free(c->got);
  free(c->expected);
  free(c->before);
  free(c);
}

static MPI_Comm comms[3], meshes[2];
static int comms_count = 3;

static void make_comms(void) {
  int size[2] = {0, 0}, wraps[2] = {0, 0}, mine[3], sources[3], ones[3] = {1, 1, 1};
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
  MPI_Dims_create(p, 2, size);
  MPI_Cart_create(MPI_COMM_WORLD, 2, size, wraps, 0, &meshes[0]);
  /* To the next three ranks; the third one may be this rank. */
  const int degree = p < 3 ? p : 3;
  for (int i = 0; i < degree; ++i) {
    sources[i] = (rank + 3 * p - i - 1) % p;
    mine[i] = (rank + i + 1) % p;
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sources, ones, degree, mine, ones,
                                 MPI_INFO_NULL, 0, &meshes[1]);
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
}

/* Completes all requests, in a random order and with random functions. */
static void complete(MPI_Request* requests, int count, struct draw* own) {
  MPI_Status statuses[256];
  int indices[256], number, left = count, flag;
  while (left > 0) {
    switch (draw(own, 8)) {
      case 0:
        MPI_Waitall(count, requests, statuses);
        break;
      case 1:
        MPI_Waitany(count, requests, &number, statuses);
        break;
      case 2:
        MPI_Waitsome(count, requests, &number, indices, statuses);
        break;
      case 3:
        MPI_Testany(count, requests, &number, &flag, MPI_STATUS_IGNORE);
        break;
      case 4:
        MPI_Testsome(count, requests, &number, indices, MPI_STATUSES_IGNORE);
        break;
      case 5: /* MPICH itself returns an error if one of them is its own persistent collective */
        if (getenv("WITHOUT_TESTALL") != NULL) break;
        MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        break;
      case 6:
        MPI_Wait(&requests[draw(own, (unsigned)count)], MPI_STATUS_IGNORE);
        break;
      default:
        number = (int)draw(own, (unsigned)count);
        MPI_Request_get_status(requests[number], &flag, statuses);
        if (flag) MPI_Test(&requests[number], &flag, statuses);
    }
    left = 0; /* a complete persistent request is inactive, but not null */
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
      left += !flag;
      if (flag) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    }
  }
}

static void a_random_step(MPI_Comm const* all_comms, int count_comms, MPI_Comm const* graphs,
                          struct draw* all, struct draw* own, int step) {
  struct call* calls[12];
  MPI_Request requests[12];
  const int count = 1 + (int)draw(all, 12);
  for (int i = 0; i < count; ++i) {
    const enum function f = (enum function)(step == 0 ? (unsigned)i : draw(all, FUNCTIONS));
    const MPI_Comm comm =
        is_among_neighbors(f) ? graphs[draw(all, 2)] : all_comms[draw(all, (unsigned)count_comms)];
    struct call* const c = calls[i] = new_call(f, -1, comm, all, own);
    c->persistent = draw(all, 3) == 0;
    c->is_message = draw(all, 6) == 0;
    if (c->is_message) {
      const int value = 4711;
      MPI_Irecv(c->got, 1, MPI_INT, (c->rank + c->size - 1) % c->size, i, comm, &c->request);
      MPI_Send(&value, 1, MPI_INT, (c->rank + 1) % c->size, i, comm);
    } else if (make(c, c->persistent ? START : NONBLOCKING) != MPI_SUCCESS) {
      wrong("cannot be made", (int)f);
    }
    if (!c->is_message && c->persistent) MPI_Start(&c->request);
    /* Blocking calls between the starts, also served by the library. */
    if (draw(all, 4) == 0) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
      if (sum != c->size) wrong("sum", sum);
    }
  }
  for (int i = 0; i < count; ++i) requests[i] = calls[i]->request;
  complete(requests, count, own);
  for (int i = 0; i < count; ++i) {
    calls[i]->request = requests[i];
    check(calls[i]);
  }
  for (int again = 0; again < 2; ++again) { /* all persistent ones at once */
    MPI_Request some[12];
    struct call* theirs[12];
    int active = 0;
    for (int i = 0; i < count; ++i) {
      if (!calls[i]->persistent || calls[i]->is_message) continue;
      refill(calls[i], own);
      theirs[active] = calls[i];
      some[active++] = calls[i]->request;
    }
    if (active == 0) break;
    MPI_Startall(active, some);
    complete(some, active, own);
    for (int i = 0; i < active; ++i) check(theirs[i]);
  }
  for (int i = 0; i < count; ++i) end(calls[i]);
}

static void random_program(unsigned long long seed, int steps) {
  struct draw all = {seed}, own = {seed * 977 + (unsigned)rank};
  /* Every function once in each form, regardless of the random numbers. */
  for (int f = 0; f < FUNCTIONS; ++f)
    for (int form = NONBLOCKING; form <= START; ++form) {
      struct call* const c = new_call((enum function)f, 3 + f,
                                      f >= NEIGHBOR_ALLGATHER ? meshes[1] : comms[1], &all, &own);
      if (make(c, (enum form)form) != MPI_SUCCESS) wrong("cannot be made", f);
      if (form == START) MPI_Start(&c->request);
      MPI_Wait(&c->request, MPI_STATUS_IGNORE);
      check(c);
      end(c);
    }
  for (int step = 1; step <= steps; ++step)
    a_random_step(comms, comms_count, meshes, &all, &own, step);
}

static void many(void) {
  enum { count = 200 };
  static int mine[count], sums[count], all[count][most_ranks];
  MPI_Request requests[count];
  struct draw own = {(unsigned)rank + 17};
  for (int i = 0; i < count; ++i) {
    mine[i] = rank + i;
    if (i % 2)
      MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, comms[i % 3], &requests[i]);
    else
      MPI_Iallgather(&mine[i], 1, MPI_INT, all[i], 1, MPI_INT, comms[i % 2], &requests[i]);
  }
  complete(requests, count, &own);
  for (int i = 0; i < count; ++i) {
    if (i % 2 && sums[i] != p * (p - 1) / 2 + p * i) wrong("many, sum", i);
    if (i % 2 == 0)
      for (int r = 0; r < p; ++r)
        if (all[i][r] != r + i) wrong("many, block", i);
  }
}

static void large(void) {
#if MPI_VERSION >= 4
  enum { n = 30 };
  const int is_odd = rank % 2;
  int mine[n], sums[n], got[n * most_ranks], counts[most_ranks], places[most_ranks];
  MPI_Count large_counts[most_ranks];
  MPI_Aint large_places[most_ranks];
  MPI_Request requests[3];
  for (int r = 0, place = 0; r < p; place += counts[r++]) {
    large_counts[r] = counts[r] = r % n + 1;
    large_places[r] = places[r] = place;
  }
  if (is_odd)
    MPI_Allreduce_init_c(mine, sums, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
  else
    MPI_Allreduce_init(mine, sums, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
  for (int call = 0; call < 10; ++call) {
    int all = 0;
    for (int i = 0; i < n; ++i) mine[i] = rank + i + call;
    MPI_Start(requests);
    if (is_odd) {
      MPI_Iallreduce_c(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
      MPI_Iallgatherv_c(mine, counts[rank], MPI_INT, got, large_counts, large_places, MPI_INT,
                        MPI_COMM_WORLD, &requests[2]);
    } else {
      MPI_Iallreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
      MPI_Iallgatherv(mine, counts[rank], MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD,
                      &requests[2]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    if (all != p * (p - 1) / 2) wrong("sum of a large call", call);
    for (int i = 0; i < n; ++i)
      if (sums[i] != p * (p - 1) / 2 + p * (i + call))
        wrong("persistent sum of a large call", call);
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < counts[r]; ++i)
        if (got[places[r] + i] != r + i + call) wrong("block of a large call", r);
  }
  MPI_Request_free(requests);
#endif
}

static void nap(int milliseconds) {
  const struct timespec time = {0, milliseconds * 1000000L};
  nanosleep(&time, NULL);
}

/* Rank 1 sends a long message before it starts the collective. So rank 0, which waits in a blocking
 * collective meanwhile, must advance MPI. */
static void behind_a_message(MPI_Comm apart) {
  enum { bytes = 1 << 22 };
  char* const message = calloc(bytes, 1);
  for (int persistent = 0; persistent < 2; ++persistent) {
    int mine = rank + 1, sum = 0, other_sum = 0;
    MPI_Request request, received = MPI_REQUEST_NULL;
    if (persistent)
      PERSISTENT(Allreduce)(&mine, &sum, 1, MPI_INT, MPI_SUM, apart, MPI_INFO_NULL, &request);
    if (rank > 1) continue;
    if (rank == 0) MPI_Irecv(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &received);
    if (rank == 1) nap(20);
    if (rank == 1) MPI_Send(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (persistent)
      MPI_Start(&request);
    else
      MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Allreduce(&mine, &other_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    if (persistent) MPI_Request_free(&request);
    if (sum != 3 || other_sum != 3) wrong("sum behind a message", persistent);
  }
  free(message);
}

/* Rank 0 waits for rank 1. Rank 1 waits for a collective that rank 0 must advance. */
static void pairs(void) {
  enum { ways = 14, n = 64 };
  MPI_Win window;
  int* shared;
  MPI_Comm apart, made;
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  for (int way = 0; way < ways; ++way) {
    int mine[n], sum[n], message = way, flag = 0, other = 1 - rank;
    MPI_Request request, own;
    MPI_Status status;
    MPI_Message matched;
    for (int i = 0; i < n; ++i) mine[i] = rank + i;
    if (rank > 1) continue;
    if (rank == 1) nap(10);
    MPI_Iallreduce(mine, sum, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    switch (way) {
      case 0:
        if (rank == 0) MPI_Recv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
        break;
      case 1:
        if (rank == 0) MPI_Probe(1, 0, MPI_COMM_WORLD, &status);
        break;
      case 2:
        if (rank == 0) MPI_Mprobe(1, 0, MPI_COMM_WORLD, &matched, &status);
        if (rank == 0) MPI_Mrecv(&message, 1, MPI_INT, &matched, &status);
        break;
      case 3:
        while (rank == 0 && !flag) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, &status);
        break;
      case 4:
        if (rank == 0) MPI_Irecv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &own);
        if (rank == 0) MPI_Wait(&own, &status);
        break;
      case 5:
        if (rank == 0) MPI_Irecv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &own);
        while (rank == 0 && !flag) MPI_Test(&own, &flag, &status);
        break;
      case 6:
        if (rank == 0) MPI_Ssend(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        break;
      case 7:
        MPI_Sendrecv(&way, 1, MPI_INT, other, 0, &message, 1, MPI_INT, other, 0, apart, &status);
        break;
      case 8:
        PMPI_Barrier(apart);
        break;
      case 9:
        MPI_Allreduce(&way, &message, 1, MPI_INT, MPI_MAX, apart);
        break;
      case 10:
        MPI_Comm_dup(apart, &made);
        MPI_Comm_free(&made);
        break;
      case 11:
        MPI_Comm_split(apart, 0, rank, &made);
        MPI_Comm_free(&made);
        break;
      case 12:
        MPI_Win_fence(0, window);
        break;
      default:
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Win_unlock(0, window);
    }
    if (way < 6 && rank == 1) MPI_Send(&way, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (way == 1 || way == 3)
      if (rank == 0) MPI_Recv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (message != way) wrong("message of way", way);
    for (int i = 0; i < n; ++i)
      if (sum[i] != 1 + 2 * i) wrong("sum of way", way);
  }
  MPI_Win_free(&window);
  behind_a_message(apart);
  MPI_Comm_free(&apart);
}

static void overlap(void) {
  enum { count = 1 << 16 };
  static int mine[count], sums[count];
  MPI_Request request;
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  for (int call = 0; call < 5; ++call) {
    MPI_Iallreduce(mine, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    nap(40);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i)
      if (sums[i] != p * (p - 1) / 2 + p * i) wrong("overlapped sum", i);
  }
}

/* Rank 1 starts its calls late. Until then, rank 0 tests a message that has not been sent. */
static void yields_once(void) {
  enum { count = 100, tests = 50 };
  static int mine[count], sums[count];
  MPI_Request requests[count], message;
  int late = 0, arrived = 0;
  MPI_Allreduce(mine, sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) {
    nap(300);
    MPI_Send(&late, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  for (int i = 0; i < count; ++i)
    MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  if (rank == 0) {
    MPI_Irecv(&late, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &message);
    const int before = yields;
    for (int i = 0; i < tests; ++i) MPI_Test(&message, &arrived, MPI_STATUS_IGNORE);
    if (arrived) wrong("the message is early", 0);
    if (yields - before < tests / 2 || yields - before > 2 * tests)
      wrong("yields in 50 tests:", yields - before);
    MPI_Wait(&message, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void starts(void) {
  enum { count = 24, rounds = 5 };
  struct draw all = {5}, own = {(unsigned)rank + 3};
  struct call* calls[count];
  for (int i = 0; i < count; ++i) {
    const enum function f = (enum function)(i % FUNCTIONS);
    calls[i] = new_call(f, -1, is_among_neighbors(f) ? meshes[i % 2] : comms[i % 3], &all, &own);
    if (make(calls[i], START) != MPI_SUCCESS) wrong("cannot be made", (int)f);
  }
  for (int round = 0; round < rounds; ++round) {
    int order[count];
    MPI_Request requests[count];
    for (int i = 0; i < count; ++i) order[i] = i;
    for (int i = count - 1; i > 0; --i) {
      const int j = (int)draw(&own, (unsigned)i + 1), k = order[i];
      order[i] = order[j];
      order[j] = k;
    }
    for (int i = 0; i < count; ++i) refill(calls[i], &own);
    for (int i = 0; i < count; ++i) MPI_Start(&calls[order[i]]->request);
    for (int i = 0; i < count; ++i) requests[i] = calls[i]->request;
    complete(requests, count, &own);
    for (int i = 0; i < count; ++i) check(calls[i]);
  }
  /* Includes requests that were never started. */
  for (int i = 0; i < count; ++i) end(calls[i]);
}

/* Nonblocking consensus (Hoefler, Siebert, Lumsdaine 2010): no rank knows how many messages it
 * gets. When all messages of a rank have arrived, it starts a barrier, and receives until this
 * barrier ends. */
static void consensus(void) {
  enum { rounds = 20, most = 5 };
  struct draw own = {(unsigned)rank + 29};
  for (int round = 0; round < rounds; ++round) {
    const int count = (int)draw(&own, most + 1);
    int numbers[most], sent[most_ranks] = {0}, got = 0, expected = 0, ended = 0, arrived = 0;
    MPI_Request sends[most], barrier = MPI_REQUEST_NULL;
    for (int i = 0; i < count; ++i) {
      const int to = (int)draw(&own, (unsigned)p);
      sent[to] += numbers[i] = 1 + (int)draw(&own, 1000);
      MPI_Issend(&numbers[i], 1, MPI_INT, to, round, MPI_COMM_WORLD, &sends[i]);
    }
    while (!ended) {
      int there = 0, number;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &there, &status);
      if (there) {
        MPI_Recv(&number, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, &status);
        got += number;
      }
      for (int flag = 1; arrived < count && flag; arrived += flag)
        MPI_Test(&sends[arrived], &flag, MPI_STATUS_IGNORE);
      if (arrived < count) continue;
      if (barrier == MPI_REQUEST_NULL) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
      MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE);
    }
    PMPI_Reduce_scatter_block(sent, &expected, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (got != expected) wrong("consensus, sum", got - expected);
  }
}

/* Rank 0 leaves the last request to MPI_Finalize, while rank 1 waits for it. */
static void ends(void) {
  static int mine[64], sums[40][64];
  MPI_Request requests[40];
  for (int i = 0; i < 64; ++i) mine[i] = rank + i;
  for (int i = 0; i < 40; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Iallreduce(mine, sums[i], 64, MPI_INT, MPI_SUM, comm, &requests[i]);
    MPI_Comm_free(&comm);
  }
  MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 40 * 64; ++i)
    if (sums[i / 64][i % 64] != p * (p - 1) / 2 + p * (i % 64)) wrong("sum after free", i);
  /* The program may free a datatype, too. */
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int got[2 * most_ranks];
  MPI_Iallgather(mine, 1, pair, got, 1, pair, MPI_COMM_WORLD, requests);
  MPI_Type_free(&pair);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  for (int r = 0; r < p; ++r)
    if (got[2 * r] != r || got[2 * r + 1] != r + 1) wrong("block of a freed datatype", r);
  PERSISTENT(Allreduce)
  (mine, sums[0], 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Iallreduce(mine, sums[1], 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  if (rank == 1) {
    nap(20);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 64; ++i)
      if (sums[1][i] != p * (p - 1) / 2 + p * i || sums[0][i] != sums[1][i]) {
        puts("wrong");
        fflush(stdout);
      }
  }
}

static int is_empty(const MPI_Status* status) {
  int bytes, cancelled;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  MPI_Test_cancelled(status, &cancelled);
  return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && bytes == 0 &&
         !cancelled;
}

/* No function waits for these requests: one persistent collective is inactive, the other is null.
 */
static void expect_idle(MPI_Request idle, int when) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, idle};
  MPI_Status statuses[2];
  int flag = 0, number = 0, indices[2];
  const MPI_Status none = {0};
  statuses[0] = none;
  MPI_Wait(&requests[1], statuses);
  if (!is_empty(statuses)) wrong("status of MPI_Wait, idle", when);
  statuses[0] = none;
  MPI_Test(&requests[1], &flag, statuses);
  if (!flag || !is_empty(statuses)) wrong("MPI_Test, idle", when);
  flag = 0;
  MPI_Request_get_status(idle, &flag, statuses);
  if (!flag || !is_empty(statuses)) wrong("MPI_Request_get_status, idle", when);
  statuses[0] = statuses[1] = none;
  MPI_Waitall(2, requests, statuses);
  if (!is_empty(&statuses[0]) || !is_empty(&statuses[1])) wrong("MPI_Waitall, idle", when);
  flag = 0;
  statuses[0] = statuses[1] = none;
  MPI_Testall(2, requests, &flag, statuses);
  if (!flag || !is_empty(&statuses[0]) || !is_empty(&statuses[1])) wrong("MPI_Testall, idle", when);
  MPI_Waitany(2, requests, &number, statuses);
  if (number != MPI_UNDEFINED || !is_empty(statuses)) wrong("MPI_Waitany, idle", when);
  flag = number = 0;
  MPI_Testany(2, requests, &number, &flag, statuses);
  if (!flag || number != MPI_UNDEFINED) wrong("MPI_Testany, idle", when);
  MPI_Waitsome(2, requests, &number, indices, statuses);
  if (number != MPI_UNDEFINED) wrong("MPI_Waitsome, idle", when);
  number = 0;
  MPI_Testsome(2, requests, &number, indices, statuses);
  if (number != MPI_UNDEFINED) wrong("MPI_Testsome, idle", when);
}

/* Also in one call with requests that complete; their statuses have 0 bytes. */
static void idle_requests(void) {
  int mine = rank, sum[3], bytes, cancelled;
  MPI_Request requests[5];
  MPI_Status statuses[5];
  for (int i = 0; i < 2; ++i) PERSISTENT(Allreduce)
  (&mine, &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int when = 0; when < 3; ++when) {
    expect_idle(requests[0], when);
    MPI_Start(&requests[1]);
    MPI_Iallreduce(&mine, &sum[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    requests[3] = MPI_REQUEST_NULL;
    MPI_Isend(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[4]);
    int flag = when == 0;
    if (flag) MPI_Waitall(5, requests, statuses);
    while (!flag) MPI_Testall(5, requests, &flag, statuses);
    if (sum[1] != p * (p - 1) / 2 || sum[2] != sum[1]) wrong("sum next to an idle request", when);
    if (!is_empty(&statuses[0]) || !is_empty(&statuses[3])) wrong("empty statuses", when);
    for (int i = 1; i < 3; ++i) {
      MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
      MPI_Test_cancelled(&statuses[i], &cancelled);
      if (bytes != 0 || cancelled) wrong("status of a collective", i);
    }
    if (requests[2] != MPI_REQUEST_NULL || requests[4] != MPI_REQUEST_NULL)
      wrong("requests that are not null", when);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], statuses);
    if (sum[0] != p * (p - 1) / 2) wrong("sum of the idle request", when);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void communicators(int count, int each) {
  MPI_Comm* const made = malloc(sizeof *made * count);
  struct draw all_draws = {77}, own_draws = {(unsigned)rank + 5}, *all = &all_draws,
              *own = &own_draws;
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
  MPI_Request* const requests = malloc(sizeof *requests * count * each);
  struct call** const calls = malloc(sizeof *calls * count * each);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < count * each; ++i)
      calls[i] = new_call((enum function)draw(all, NEIGHBOR_ALLGATHER), i % each == 2 ? 1500 : -1,
                          made[i / each], all, own);
    const int first = rank * 7;
    for (int i = 0; i < count; ++i)
      for (int j = 0, k = (i + first) % count * each; j < each; ++j, ++k) {
        if (make(calls[k], NONBLOCKING) != MPI_SUCCESS) wrong("cannot be made", k);
        requests[k] = calls[k]->request;
      }
    complete(requests, count * each, own);
    for (int i = 0; i < count * each; ++i) {
      calls[i]->request = MPI_REQUEST_NULL;
      calls[i]->comm = comms[1]; /* has the same ranks */
      check(calls[i]);
      end(calls[i]);
    }
    /* From the first blocking call on, all ranks know whether Toccata serves. */
    for (int i = 0; round == 1 && i < count; ++i) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[i]);
      if (sum != p) wrong("sum of communicator", i);
    }
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&made[i]);
  free(calls);
  free(requests);
  free(made);
}

static void open_calls(void) {
  enum { comms_here = 100, count = 1500 };
  static int mine[count], sums[count];
  static MPI_Request requests[count];
  static MPI_Comm made[comms_here];
  const int first = rank * 31;
  for (int i = 0; i < comms_here; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
  for (int i = 0; i < count; i += 10) PERSISTENT(Allreduce)
  (&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, made[i % comms_here], MPI_INFO_NULL, &requests[i]);
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  for (int k = 0; k < comms_here; ++k) /* each rank begins with another communicator */
    for (int i = (k + first) % comms_here; i < count; i += comms_here)
      if (i % 10 == 0)
        MPI_Start(&requests[i]);
      else
        MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, made[i % comms_here], &requests[i]);
  for (int i = 0; i < count / 2; ++i) /* half of them one by one, in another order on each rank */
    MPI_Wait(&requests[(i * 7 + first) % count], MPI_STATUS_IGNORE);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i)
    if (sums[i] != p * (p - 1) / 2 + p * i) wrong("one of many sums", i);
  for (int i = 0; i < count; i += 10) MPI_Request_free(&requests[i]);
  for (int i = 0; i < comms_here; ++i) MPI_Comm_free(&made[i]);
}

static void errors(void) {
  int mine = 1, sum = 0, got[most_ranks], code, class;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm inter, half;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Iallreduce(&mine, &sum, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Error_class(code, &class);
  if (class != MPI_ERR_COUNT) wrong("class of a negative count", class);
  code = MPI_Ibcast(&mine, 1, MPI_INT, p, MPI_COMM_WORLD, &request);
  MPI_Error_class(code, &class);
  if (class != MPI_ERR_ROOT) wrong("class of a wrong root", class);
  code = MPI_Iallgather(&mine, 1, MPI_DATATYPE_NULL, got, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Error_class(code, &class);
  if (class != MPI_ERR_TYPE) wrong("class of no datatype", class);
  /* MPI_Cancel on a collective is invalid and returns an error. */
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  code = MPI_Cancel(&request);
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Error_class(code, &class);
  printf("%s", rank == 0 ? (class == MPI_SUCCESS ? "cancelled\n" : "refused\n") : "");
  if (sum != p) wrong("sum", sum);
#ifdef OPEN_MPI
  /* The same for a persistent one, whose next starts work. */
  PERSISTENT(Allreduce)
  (&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 0; start < 3; ++start) {
    sum = 0;
    MPI_Start(&request);
    if (start == 0) {
      MPI_Error_class(MPI_Cancel(&request), &class);
      if (class != MPI_ERR_REQUEST) wrong("class of MPI_Cancel", class);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != p) wrong("sum of a start", start);
  }
  MPI_Request_free(&request);
#endif
  /* The MPI library serves intercommunicators. */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_remote_size(inter, &mine);
  if (sum != mine) wrong("sum of the other group", sum);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static MPI_Comm of_thread[4][3], meshes_of_thread[4][2];
static void* thread(void* number) {
  const int me = *(int*)number;
  struct draw all = {(unsigned)me + 99}, own = {(unsigned)(me * 100 + rank)};
  for (int step = 1; step <= 12; ++step)
    a_random_step(of_thread[me], 3, meshes_of_thread[me], &all, &own, step);
  return NULL;
}

static void threads(void) {
  pthread_t running[4];
  int numbers[4];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i][j]);
    for (int j = 0; j < 2; ++j) MPI_Comm_dup(meshes[j], &meshes_of_thread[i][j]);
  }
  for (int i = 0; i < 4; ++i) {
    numbers[i] = i;
    pthread_create(&running[i], NULL, thread, &numbers[i]);
  }
  for (int i = 0; i < 4; ++i) pthread_join(running[i], NULL);
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "random";
  const int with_threads =
      strcmp(mode, "threads") == 0 || (argc > 2 && strcmp(argv[2], "multiple") == 0);
  int provided, all_faults = 0;
  MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  make_comms();
  if (strcmp(mode, "random") == 0) random_program(strtoull(argv[2], NULL, 10), atoi(argv[3]));
  if (strcmp(mode, "many") == 0) many();
  if (strcmp(mode, "large") == 0) large();
  if (strcmp(mode, "pairs") == 0) pairs();
  if (strcmp(mode, "overlap") == 0) overlap();
  if (strcmp(mode, "yields") == 0) yields_once();
  if (strcmp(mode, "consensus") == 0) consensus();
  if (strcmp(mode, "starts") == 0) starts();
  if (strcmp(mode, "idle") == 0) idle_requests();
  if (strcmp(mode, "errors") == 0) errors();
  if (strcmp(mode, "communicators") == 0) communicators(atoi(argv[2]), atoi(argv[3]));
  if (strcmp(mode, "open") == 0) open_calls();
  if (strcmp(mode, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
  PMPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (complaint[0] != '\0') fprintf(stderr, "%s\n", complaint);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  fflush(stdout);
  if (strcmp(mode, "ends") == 0) ends();
  MPI_Finalize();
  return 0;
}
