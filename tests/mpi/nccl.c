/* Replaces libnccl.so.2 and librccl.so.1 on machines without a GPU. It uses MPI messages on
 * MPI_COMM_WORLD. It ends the program if calls come in a wrong order, or if memory does not belong
 * to a device. Reductions combine rank by rank on rank 0, which returns the result. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define REQUIRE(condition)                                  \
  do {                                                      \
    if (!(condition)) {                                     \
      fprintf(stderr, "nccl.c: expected %s\n", #condition); \
      abort();                                              \
    }                                                       \
  } while (0)

enum { success = 0, tag = 77, most = 1024 };
typedef struct {
  char bytes[128];
} UniqueId;
typedef struct {
  int open, ranks, rank;
  int world[most];  // ranks of MPI_COMM_WORLD
} Comm;
static int ids = 0, open_comms = 0, launches = 0;

EXPORT int stand_in_nccl_launches(void) { return launches; }
EXPORT int stand_in_nccl_open(void) { return open_comms; }

static void* function(const char* name) {
  void* const found = dlsym(dlopen(getenv("DEVICES"), RTLD_NOW | RTLD_NOLOAD), name);
  REQUIRE(found != NULL);
  return found;
}

static int is_device(const void* address) {
  int (*known)(const void*);
  *(void**)&known = function("stand_in_is_device");
  return known(address);
}

static void copy(void* into, const void* from, size_t bytes) {
  int (*copies)(void*, const void*, size_t);
  *(void**)&copies = function("stand_in_copy");
  copies(into, from, bytes);
}

/* The ID contains the root's rank and the number of IDs that it has created. */
EXPORT int ncclGetUniqueId(UniqueId* id) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "%d %d", rank, ++ids);
  return success;
}

EXPORT int ncclCommInitRank(Comm** made, int ranks, UniqueId id, int rank) {
  int root, number, mine;
  REQUIRE(sscanf(id.bytes, "%d %d", &root, &number) == 2);
  REQUIRE(ranks > 1 && ranks <= most && rank >= 0 && rank < ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  REQUIRE((rank == 0) == (mine == root));
  Comm* const comm = calloc(1, sizeof *comm);
  comm->open = 1;
  comm->ranks = ranks;
  comm->rank = rank;
  if (rank == 0) {
    comm->world[0] = mine;
    for (int i = 1; i < ranks; ++i) {
      int who[2];
      MPI_Recv(who, 2, MPI_INT, MPI_ANY_SOURCE, tag + number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      comm->world[who[0]] = who[1];
    }
    for (int i = 1; i < ranks; ++i)
      MPI_Send(comm->world, ranks, MPI_INT, comm->world[i], tag, MPI_COMM_WORLD);
  } else {
    const int who[2] = {rank, mine};
    MPI_Send(who, 2, MPI_INT, root, tag + number, MPI_COMM_WORLD);
    MPI_Recv(comm->world, ranks, MPI_INT, root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  ++open_comms;
  *made = comm;
  return success;
}

EXPORT int ncclAllReduce(const void* in, void* out, size_t elements, int type, int operation,
                         Comm* comm, void* stream) {
  static const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN};
  const MPI_Datatype types[] = {MPI_INT8_T,        MPI_UINT8_T, MPI_INT32_T,
                                MPI_UINT32_T,      MPI_INT64_T, MPI_UINT64_T,
                                MPI_DATATYPE_NULL, MPI_FLOAT,   MPI_DOUBLE};
  int size;
  REQUIRE(comm != NULL && comm->open && stream != NULL);
  REQUIRE(type >= 0 && type <= 8 && type != 6 && operation >= 0 && operation <= 3);
  REQUIRE(elements > 0 && is_device(in) && is_device(out));
  MPI_Type_size(types[type], &size);
  const size_t bytes = elements * (size_t)size;
  void *own = malloc(bytes), *others = malloc(bytes);
  const int number = (int)elements, root = comm->world[0];
  copy(own, in, bytes);
  if (comm->rank == 0) {
    for (int i = 1; i < comm->ranks; ++i) {
      MPI_Recv(others, number, types[type], comm->world[i], tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Reduce_local(others, own, number, types[type], operations[operation]);
    }
    for (int i = 1; i < comm->ranks; ++i)
      MPI_Send(own, number, types[type], comm->world[i], tag, MPI_COMM_WORLD);
  } else {
    MPI_Send(own, number, types[type], root, tag, MPI_COMM_WORLD);
    MPI_Recv(own, number, types[type], root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  copy(out, own, bytes);
  free(own);
  free(others);
  ++launches;
  return success;
}

EXPORT int ncclCommDestroy(Comm* comm) {
  REQUIRE(comm != NULL && comm->open);
  comm->open = 0;  // the memory is kept, so that a second call is detected
  --open_comms;
  return success;
}
