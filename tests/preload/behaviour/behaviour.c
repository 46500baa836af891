/* Behaviour in which MPI libraries differ, on three ranks. Rank 0 prints a line "row: value" for
 * each row of docs/mpi-libraries.md. If ranks have different values, the line has one for each,
 * separated by " | ". Values travel in point-to-point messages, because some libraries count
 * collectives. */
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(Name) MPIX_##Name##_init
#else
#define PERSISTENT(Name) MPI_##Name##_init
#endif

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ranks = 3, length = 240, characters = 32 };
static int rank;

static void tell(const char* row, const char* mine) {
  char others[ranks][length] = {""};
  snprintf(others[0], length, "%s", mine);
  if (rank > 0) {
    PMPI_Send(others[0], length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  int differ = 0;
  for (int r = 1; r < ranks; ++r) {
    PMPI_Recv(others[r], length, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    differ = differ || strcmp(others[0], others[r]) != 0;
  }
  printf("%s: %s", row, others[0]);
  for (int r = 1; differ && r < ranks; ++r) printf(" | %s", others[r]);
  printf("\n");
  fflush(stdout);
}

/* A value that only one rank has. */
static void tell_of(int owner, const char* row, const char* mine) {
  char text[length];
  snprintf(text, length, "%s", mine);
  if (owner != 0 && rank == owner) PMPI_Send(text, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  if (rank != 0) return;
  if (owner != 0) PMPI_Recv(text, length, MPI_CHAR, owner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%s: %s\n", row, text);
  fflush(stdout);
}

static MPI_Comm another(void) {
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return made;
}

static void join(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    char joined[2 * characters + 4];
    char* const into = (char*)inout + i * characters;
    snprintf(joined, sizeof joined, "(%s.%s)", (char*)in + i * characters, into);
    snprintf(into, characters, "%.*s", characters - 1, joined);
  }
}

/* The operation is declared as commutative, and writes down its evaluation. */
static void expressions(void) {
  char mine[ranks][characters], result[characters] = "";
  MPI_Datatype text;
  MPI_Op operation;
  MPI_Request request;
  MPI_Comm comm = another();
  MPI_Type_contiguous(characters, MPI_CHAR, &text);
  MPI_Type_commit(&text);
  MPI_Op_create(join, 1, &operation);
  for (int i = 0; i < ranks; ++i) snprintf(mine[i], characters, "%d", rank);
  MPI_Allreduce(mine, result, 1, text, operation, comm);
  tell("expression in MPI_Allreduce", result);
  MPI_Iallreduce(mine, result, 1, text, operation, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  tell("expression in MPI_Iallreduce", result);
  MPI_Reduce(mine, result, 1, text, operation, 0, comm);
  tell_of(0, "expression in MPI_Reduce to rank 0", result);
  MPI_Reduce(mine, result, 1, text, operation, 2, comm);
  tell_of(2, "expression in MPI_Reduce to rank 2", result);
  MPI_Reduce_scatter_block(mine, result, 1, text, operation, comm);
  tell("expression in MPI_Reduce_scatter_block", result);
  MPI_Scan(mine, result, 1, text, operation, comm);
  tell_of(2, "expression in MPI_Scan on rank 2", result);
  MPI_Op_free(&operation);
  MPI_Type_free(&text);
  MPI_Comm_free(&comm);
}

/* The sum is 2 if ranks 0 and 1 are added first, 3 if ranks 0 and 2 are, and 4 if ranks 1 and 2
 * are. */
static void sums(void) {
  enum { calls = 12 };
  const double mine = rank == 0 ? 1e16 : rank == 1 ? 1 : -9999999999999998;
  double sum = 0, before = 0;
  char text[length] = "", value[40];
  MPI_Request request;
  MPI_Comm comm = another();
  for (int call = 1; call <= calls; ++call) {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    snprintf(value, sizeof value, "%s%g from call %d on", call > 1 ? ", " : "", sum, call);
    if (call == 1 || sum != before) strcat(text, value);
    before = sum;
  }
  tell("sum in MPI_Allreduce", text);
  MPI_Comm_free(&comm);
  comm = another();
  MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  snprintf(text, length, "%g", sum);
  tell("sum in MPI_Iallreduce", text);
  for (int root = 0; root < ranks; root += 2) {
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, root, comm);
    snprintf(text, length, "%g", sum);
    tell_of(root, root == 0 ? "sum in MPI_Reduce to rank 0" : "sum in MPI_Reduce to rank 2", text);
  }
  MPI_Comm_free(&comm);
}

static void extremes(int zeros, int number, const char* row) {
  double mine[16], largest[16];
  char text[length] = "";
  MPI_Comm comm = another();
  for (int i = 0; i < number; ++i)
    mine[i] = zeros ? (rank == 1 ? 0.0 : -0.0) : rank == 2 ? NAN : rank + 1;
  MPI_Allreduce(mine, largest, number, MPI_DOUBLE, MPI_MAX, comm);
  if (isnan(largest[0]))
    strcpy(text, "NaN");
  else
    snprintf(text, length, "%g", largest[0]);
  tell(row, text);
  MPI_Comm_free(&comm);
}

/* Integers of 8 bits: the sum is 300. */
static void short_sums(int number, const char* row) {
  unsigned char mine[17], sum[17];
  char text[length];
  MPI_Comm comm = another();
  memset(mine, 100, sizeof mine);
  MPI_Allreduce(mine, sum, number, MPI_UNSIGNED_CHAR, MPI_SUM, comm);
  snprintf(text, length, "%d", sum[0]);
  if (number > 1) snprintf(text, length, "first %d, last %d", sum[0], sum[number - 1]);
  tell(row, text);
  MPI_Comm_free(&comm);
}

/* The two blocks that rank 0 receives. Rank 0 sends a and b, rank 1 sends c and d. */
static void neighbors(MPI_Comm comm, const char* place) {
  const char mine[3] = {(char)('a' + 2 * rank), (char)('b' + 2 * rank), 0};
  const int ones[2] = {1, 1}, places[2] = {0, 1};
  char got[4][3] = {""}, row[length];
  static const char* const functions[] = {"MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv",
                                          "MPI_Ineighbor_alltoall", "MPI_Neighbor_alltoall_init"};
  MPI_Request request;
  if (comm != MPI_COMM_NULL) {
    MPI_Neighbor_alltoall(mine, 1, MPI_CHAR, got[0], 1, MPI_CHAR, comm);
    MPI_Neighbor_alltoallv(mine, ones, places, MPI_CHAR, got[1], ones, places, MPI_CHAR, comm);
    MPI_Ineighbor_alltoall(mine, 1, MPI_CHAR, got[2], 1, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    PERSISTENT(Neighbor_alltoall)
    (mine, 1, MPI_CHAR, got[3], 1, MPI_CHAR, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  for (int i = 0; i < 4; ++i) {
    snprintf(row, length, "%s, %s", place, functions[i]);
    tell_of(0, row, got[i]);
  }
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void topologies(void) {
  const int dims[2] = {1, 2}, periods[1] = {1}, peers[2] = {1 - rank, 1 - rank}, ones[2] = {1, 1};
  MPI_Comm made, pair;
  for (int size = 0; size < 2; ++size) {
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dims[size], periods, 0, &made);
    neighbors(made, size == 0 ? "ring of 1 rank" : "ring of 2 ranks");
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
  made = MPI_COMM_NULL;
  if (pair != MPI_COMM_NULL) {
    MPI_Dist_graph_create_adjacent(pair, 2, peers, ones, 2, peers, ones, MPI_INFO_NULL, 0, &made);
    MPI_Comm_free(&pair);
  }
  neighbors(made, "graph with an edge twice");
}

/* Without numbers: those of a message inside the MPI library depend on the run. */
static const char* kind_of(const MPI_Status* status) {
  int bytes, cancelled;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  MPI_Test_cancelled(status, &cancelled);
  if (cancelled) return "cancelled";
  if (bytes != 0) return "source, tag and size of a message";
  const int empty = status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG;
  return empty ? "empty" : "0 bytes, with a source and a tag";
}

static void statuses(void) {
  double mine = 1, sum;
  MPI_Status status;
  MPI_Request request;
  MPI_Comm comm = another();
  MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
  MPI_Wait(&request, &status);
  tell("status of MPI_Iallreduce", kind_of(&status));
  PERSISTENT(Allreduce)
  (&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, &status);
  tell("status of MPI_Allreduce_init", kind_of(&status));
  MPI_Wait(&request, &status);
  tell("status of MPI_Allreduce_init, inactive", kind_of(&status));
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int dims[2] = {0, 0};
  char text[length];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_library_version(version, &dims[0]);
  snprintf(text, length, "%.*s", (int)strcspn(version, ",\n"), version);
  tell("library", text);
  sums();
  expressions();
  extremes(0, 1, "MPI_MAX of 1, 2 and NaN, 1 element");
  extremes(0, 16, "MPI_MAX of 1, 2 and NaN, 16 elements");
  extremes(1, 1, "MPI_MAX of -0, 0 and -0, 1 element");
  extremes(1, 16, "MPI_MAX of -0, 0 and -0, 16 elements");
  short_sums(1, "MPI_SUM of 100 on 3 ranks, MPI_UNSIGNED_CHAR, 1 element");
  short_sums(17, "MPI_SUM of 100 on 3 ranks, MPI_UNSIGNED_CHAR, 17 elements");
  topologies();
  statuses();
  dims[0] = 0;
  MPI_Dims_create(72, 2, dims);
  snprintf(text, length, "%d x %d", dims[0], dims[1]);
  tell("MPI_Dims_create(72, 2)", text);
  MPI_Finalize();
  return 0;
}
