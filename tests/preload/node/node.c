/* Requirements for collectives through the shared memory of a node, with all ranks on one node.
   Rank 0 prints "right" at the end. The first argument selects the test:

   results      every collective, many sizes, buffers and roots, called repeatedly
   mapped       the same with buffers in a memfd, which the substitute for XPMEM can attach
   pair         before each collective, rank 0 is in a long MPI_Send to rank 1. Rank 1 has posted
                its MPI_Irecv, and waits for it only after the collective
   many         a thousand communicators at a time
   fork         child processes start and end between the calls
   none         no collective; prints "blocks" and the number of bytes of the shared memory
   killed       rank 1 is killed while the others wait for it */

#define _GNU_SOURCE
#include <mpi.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most = 20000 };

static int rank, p, wrong;
static int own_memory[2][8 * most];
static int *in = own_memory[0], *out = own_memory[1];

static int value(int of, int i, int call) { return of * 1000003 + i * 17 + call * 101; }

static void expect(int i, int found, int expected, const char* what, int n) {
  if (found == expected) return;
  if (wrong++ < 5)
    fprintf(stderr, "rank %d, %s of %d: element %d is %d, not %d\n", rank, what, n, i, found,
            expected);
}

static int sum(int ranks, int i, int call) {
  unsigned total = 0;
  for (int each = 0; each < ranks; ++each) total += (unsigned)value(each, i, call);
  return (int)total;
}

static void first_of_pair(void* from, void* into, int* n, MPI_Datatype* type) {
  (void)type;
  memcpy(into, from, *n * sizeof(int));
}

enum {
  allreduce,
  reduce,
  reduce_scatter,
  bcast,
  allgather,
  alltoall,
  gather,
  scatter,
  scan,
  exscan,
  barrier,
  collectives
};

static void fill(int n, int call) {
  for (int i = 0; i < n; ++i) in[i] = value(rank, i, call);
  memset(out, -1, n * sizeof(int));
}

/* One call of that collective, with n elements per rank, and its results. `first` is an operation
   that selects the elements of the lowest rank. */
static void call_one(int which, int n, int root, int call, int in_place, MPI_Op first, MPI_Comm c) {
  const void* from = in_place ? MPI_IN_PLACE : in;
  switch (which) {
    case allreduce:
      fill(n, call);
      if (in_place) memcpy(out, in, n * sizeof(int));
      MPI_Allreduce(from, out, n, MPI_INT, MPI_SUM, c);
      for (int i = 0; i < n; ++i) expect(i, out[i], sum(p, i, call), "allreduce", n);
      fill(n, call);
      MPI_Allreduce(in, out, n, MPI_INT, first, c);
      for (int i = 0; i < n; ++i) expect(i, out[i], value(0, i, call), "ordered allreduce", n);
      fill(n, call);
      MPI_Allreduce(in, out, n, MPI_INT, MPI_MAX, c);
      for (int i = 0; i < n; ++i) {
        int largest = value(0, i, call);
        for (int q = 1; q < p; ++q)
          if (value(q, i, call) > largest) largest = value(q, i, call);
        expect(i, out[i], largest, "largest", n);
      }
      break;
    case reduce:
      fill(n, call);
      if (in_place && rank == root) memcpy(out, in, n * sizeof(int));
      MPI_Reduce(rank == root ? from : in, out, n, MPI_INT, MPI_SUM, root, c);
      for (int i = 0; i < n && rank == root; ++i) expect(i, out[i], sum(p, i, call), "reduce", n);
      break;
    case reduce_scatter:
      fill(n * p, call);
      if (in_place) memcpy(out, in, n * p * sizeof(int));
      MPI_Reduce_scatter_block(from, out, n, MPI_INT, MPI_SUM, c);
      for (int i = 0; i < n; ++i)
        expect(i, out[i], sum(p, rank * n + i, call), "reduce_scatter", n);
      break;
    case bcast:
      fill(n, call);
      if (rank == root) memcpy(out, in, n * sizeof(int));
      MPI_Bcast(out, n, MPI_INT, root, c);
      for (int i = 0; i < n; ++i) expect(i, out[i], value(root, i, call), "bcast", n);
      break;
    case allgather:
      fill(n * p, call);
      if (in_place) memcpy(out + rank * n, in, n * sizeof(int));
      MPI_Allgather(from, n, MPI_INT, out, n, MPI_INT, c);
      for (int q = 0; q < p; ++q)
        for (int i = 0; i < n; ++i) expect(i, out[q * n + i], value(q, i, call), "allgather", n);
      break;
    case alltoall:
      fill(n * p, call);
      if (in_place) memcpy(out, in, n * p * sizeof(int));
      MPI_Alltoall(from, n, MPI_INT, out, n, MPI_INT, c);
      for (int q = 0; q < p; ++q)
        for (int i = 0; i < n; ++i)
          expect(i, out[q * n + i], value(q, rank * n + i, call), "alltoall", n);
      break;
    case gather:
      fill(n * p, call);
      if (in_place && rank == root) memcpy(out + rank * n, in, n * sizeof(int));
      MPI_Gather(rank == root ? from : in, n, MPI_INT, out, n, MPI_INT, root, c);
      for (int q = 0; q < p && rank == root; ++q)
        for (int i = 0; i < n; ++i) expect(i, out[q * n + i], value(q, i, call), "gather", n);
      break;
    case scatter:
      fill(n * p, call);
      MPI_Scatter(in, n, MPI_INT, in_place && rank == root ? MPI_IN_PLACE : out, n, MPI_INT, root,
                  c);
      for (int i = 0; i < n && !(in_place && rank == root); ++i)
        expect(i, out[i], value(root, rank * n + i, call), "scatter", n);
      break;
    case scan:
      fill(n, call);
      if (in_place) memcpy(out, in, n * sizeof(int));
      MPI_Scan(from, out, n, MPI_INT, MPI_SUM, c);
      for (int i = 0; i < n; ++i) expect(i, out[i], sum(rank + 1, i, call), "scan", n);
      break;
    case exscan:
      fill(n, call);
      if (in_place) memcpy(out, in, n * sizeof(int));
      MPI_Exscan(from, out, n, MPI_INT, MPI_SUM, c);
      for (int i = 0; i < n && rank > 0; ++i) expect(i, out[i], sum(rank, i, call), "exscan", n);
      break;
    case barrier:
      MPI_Barrier(c);
  }
}

static void results(MPI_Comm c) {
  /* Three ranks on two cores publish more than 32 KiB directly. */
  static const int sizes[] = {1, 2, 13, 25, 100, 511, 1024, 1056, 2048, 2049, most / 2, most};
  MPI_Op first;
  MPI_Op_create(first_of_pair, 0, &first);
  int call = 0;
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int which = 0; which < collectives; ++which)
      for (int again = 0; again < (sizes[s] < most ? 8 : 2); ++again) {
        /* Each rank is late in turn. */
        if (++call % (5 * p) == rank * 5) usleep(50);
        call_one(which, sizes[s], again / 4 % p, call, again % 4 == 3, first, c);
      }
  MPI_Op_free(&first);
}

static void pair(void) {
  enum { bytes = 4 << 20 };
  char* message = calloc(bytes, 1);
  for (int which = 0; which < collectives; ++which)
    for (int size = 1; size <= most; size += most - 1)
      for (int again = 0; again < 4; ++again) {
        MPI_Request request = MPI_REQUEST_NULL;
        message[0] = message[bytes - 1] = (char)(rank == 0 ? which + 1 : 0);
        if (rank == 1) MPI_Irecv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        if (rank == 0) MPI_Send(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        call_one(which, size, 0, again, 0, MPI_MIN, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) expect(0, message[bytes - 1], which + 1, "message", which);
      }
  free(message);
}

static void many(void) {
  enum { communicators = 1000 };
  static MPI_Comm comms[communicators];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < communicators; ++i) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
      for (int again = 0; again < 3; ++again) {
        call_one(reduce_scatter, 3, 0, i, 0, MPI_MIN, comms[i]);
        call_one(bcast, 50, i % p, i, 0, MPI_MIN, comms[i / 2]);
      }
    }
    for (int i = 0; i < communicators; ++i)
      MPI_Comm_free(&comms[round == 0 ? i : communicators - 1 - i]);
  }
}

static void with_children(void) {
  for (int i = 0; i < 20; ++i) {
    call_one(alltoall, 10, 0, i, 0, MPI_MIN, MPI_COMM_WORLD);
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 == 0) execl("/bin/true", "true", (char*)0);
      _exit(0);
    }
    for (int again = 0; again < 20; ++again)
      call_one(reduce, 700, 0, i + again, 0, MPI_MIN, MPI_COMM_WORLD);
    int status = 1;
    waitpid(child, &status, 0);
    expect(0, status, 0, "child", i);
  }
}

static void use_memfd(void) {
  const int file = memfd_create("buffers", 0);
  void* const memory =
      ftruncate(file, sizeof own_memory) != 0
          ? MAP_FAILED
          : mmap(NULL, sizeof own_memory, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) abort();
  in = memory;
  out = in + 8 * most;
}

/* Bytes of the memory that ranks of this node share. */
static long shared_memory(void) {
  long found = 0;
  DIR* const folder = opendir("/proc/self/fd");
  for (struct dirent* each; (each = readdir(folder)) != NULL;) {
    char path[300], target[300] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", each->d_name);
    struct stat state;
    if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "memfd:toccata") &&
        stat(path, &state) == 0)
      found += state.st_blocks * 512L;
  }
  closedir(folder);
  return found;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const char* const what = argv[1];
  if (strcmp(what, "none") == 0) {
    if (rank == 0) printf("blocks %ld\n", shared_memory());
    MPI_Finalize();
    return 0;
  }
  if (strcmp(what, "pair") == 0) pair();
  if (strcmp(what, "many") == 0) many();
  if (strcmp(what, "fork") == 0) with_children();
  if (strcmp(what, "mapped") == 0) use_memfd();
  if (strcmp(what, "results") == 0 || strcmp(what, "mapped") == 0) {
    results(MPI_COMM_WORLD);
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    results(other);
    MPI_Comm_free(&other);
  }
  if (strcmp(what, "killed") == 0)
    for (int i = 0;; ++i) {
      call_one(allgather, 5, 0, i, 0, MPI_MIN, MPI_COMM_WORLD);
      if (i == 10 && rank == 1) kill(getpid(), SIGKILL);
    }
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("blocks %ld\n", shared_memory());
    if (all == 0) printf("right\n");
  }
  MPI_Finalize();
  return 0;
}
