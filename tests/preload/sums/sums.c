// Reductions that round. Reads lines "collective algorithm type operation count ranks" and repeats
// each with a digest of the bits of all ranks' results, in the order of the ranks. "-" as the
// digest: the algorithm cannot run with that many ranks. The algorithm "auto" is the library's
// choice after 40 calls.
#include <mpi.h>

#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/toccata.h"

enum { most_elements = 20000 };
static double mine[2 * most_elements], result[2 * most_elements];

static uint64_t digest_of(const void* data, size_t size, uint64_t digest) {
  const unsigned char* const bytes = data;
  for (size_t i = 0; i < size; ++i) digest = (digest ^ bytes[i]) * 1099511628211u;
  return digest;
}

// Its result depends strongly on the order.
static void mean(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    ((double*)inout)[i] = (((double*)in)[i] + ((double*)inout)[i]) / 2;
}

static void fill(MPI_Datatype type, int elements, int rank) {
  for (int i = 0; i < elements; ++i) {
    const double number = (1 + (rank + 3) % 11 * 0.1) / (1 + (i * 7 + rank * 5) % 13 * 0.01);
    if (type == MPI_FLOAT)
      ((float*)mine)[i] = (float)number;
    else if (type == MPI_C_DOUBLE_COMPLEX)
      ((double complex*)mine)[i] = number + I / number;
    else
      mine[i] = number;
  }
}

static int call(const char* collective, const char* algorithm, int count, MPI_Datatype type,
                MPI_Op operation, MPI_Comm comm) {
  const int root = 1;
  if (strcmp(collective, "allreduce") == 0)
    return toccata_allreduce(mine, result, count, type, operation, comm, algorithm);
  if (strcmp(collective, "reduce") == 0)
    return toccata_reduce(mine, result, count, type, operation, root, comm, algorithm);
  if (strcmp(collective, "reduce_scatter") == 0)
    return toccata_reduce_scatter_block(mine, result, count, type, operation, comm, algorithm);
  if (strcmp(collective, "scan") == 0)
    return toccata_scan(mine, result, count, type, operation, comm, algorithm);
  return toccata_exscan(mine, result, count, type, operation, comm, algorithm);
}

static void run(const char* line, MPI_Comm comm, MPI_Op of_user) {
  char collective[32], algorithm[64], type_name[16], operation_name[16];
  int count, ranks, rank, p, size;
  sscanf(line, "%31s %63s %15s %15s %d %d", collective, algorithm, type_name, operation_name,
         &count, &ranks);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  if (ranks != p) return;
  const MPI_Datatype type = strcmp(type_name, "float") == 0     ? MPI_FLOAT
                            : strcmp(type_name, "complex") == 0 ? MPI_C_DOUBLE_COMPLEX
                                                                : MPI_DOUBLE;
  const MPI_Op operation = strcmp(operation_name, "sum") == 0    ? MPI_SUM
                           : strcmp(operation_name, "prod") == 0 ? MPI_PROD
                                                                 : of_user;
  const int is_chosen = strcmp(algorithm, "auto") == 0;
  const int elements = strcmp(collective, "reduce_scatter") == 0 ? count * p : count;
  if (elements > most_elements) exit(2);
  MPI_Type_size(type, &size);
  fill(type, elements, rank);
  memset(result, 0, sizeof result);
  int code = MPI_SUCCESS;
  for (int time = 0; time < (is_chosen ? 40 : 1); ++time)
    code |= call(collective, is_chosen ? NULL : algorithm, count, type, operation, comm);
  const uint64_t here = digest_of(result, (size_t)count * size, 1469598103934665603u);
  uint64_t all[64];
  PMPI_Gather(&here, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, comm);
  if (rank != 0) return;
  char digest[20] = "-";
  if (code == MPI_SUCCESS)
    snprintf(digest, sizeof digest, "%016llx",
             (unsigned long long)digest_of(all, (size_t)p * sizeof *all, 1469598103934665603u));
  printf("%s %s %s %s %d %d %s\n", collective, algorithm, type_name, operation_name, count, ranks,
         digest);
}

// The first ranks of MPI_COMM_WORLD run the lines for fewer ranks.
int main(int argc, char** argv) {
  int rank, p;
  char line[256];
  MPI_Op of_user;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Op_create(mean, 1, &of_user);
  for (int ranks = p; ranks > 1; --ranks) {
    FILE* const lines = fopen(argv[1], "r");
    if (lines == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      while (fgets(line, sizeof line, lines) != NULL) run(line, comm, of_user);
      MPI_Comm_free(&comm);
    }
    fclose(lines);
  }
  MPI_Op_free(&of_user);
  MPI_Finalize();
  return 0;
}
