/* orders COLLECTIVE: the order in which MPI evaluates an operation of the program on rank 0, for
 * the first and the last element, in the calls 1 and 10. orders all: whether all collectives are
 * right, also with operations that do not commute, with few elements and in place. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { characters = 64, elements = 8, most = 300 };
static int rank, p, faults;
static MPI_Datatype text;
static MPI_Op joining;

static void join(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    char joined[2 * characters + 4];
    char* const into = (char*)inout + i * characters;
    snprintf(joined, sizeof joined, "(%s.%s)", (char*)in + i * characters, into);
    snprintf(into, characters, "%.*s", characters - 1, joined);
  }
}

static void reduce(const char* collective, const void* mine, void* result, int count) {
  int counts[16];
  for (int i = 0; i < p; ++i) counts[i] = count;
  if (strcmp(collective, "allreduce") == 0)
    MPI_Allreduce(mine, result, count, text, joining, MPI_COMM_WORLD);
  else if (strcmp(collective, "reduce") == 0)
    MPI_Reduce(mine, result, count, text, joining, 0, MPI_COMM_WORLD);
  else if (strcmp(collective, "reduce_scatter") == 0)
    MPI_Reduce_scatter(mine, result, counts, text, joining, MPI_COMM_WORLD);
  else
    MPI_Reduce_scatter_block(mine, result, count, text, joining, MPI_COMM_WORLD);
}

static void fill(char* mine, int number) {
  for (int i = 0; i < number; ++i) snprintf(mine + i * characters, characters, "%d", rank);
}

/* Whether the ranks are in ascending order. */
static int ascends(const char* expression) {
  int next = 0;
  for (; *expression != '\0'; ++expression)
    if (*expression >= '0' && *expression <= '9' && *expression - '0' != next++) return 0;
  return next == p;
}

static void orders(const char* collective) {
  char* const mine = calloc((size_t)elements * p, characters);
  char* const result = calloc((size_t)elements * p, characters);
  fill(mine, elements * p);
  for (int call = 1; call <= 10; ++call) {
    reduce(collective, mine, result, elements);
    if (rank == 0 && (call == 1 || call == 10))
      printf("%d %s %s\n", call, result, result + (elements - 1) * characters);
  }
  free(mine);
  free(result);
}

static void check_reductions(int count) {
  static const char* const names[] = {"allreduce", "reduce", "reduce_scatter", "block"};
  char* const mine = calloc((size_t)count * p + 1, characters);
  char* const result = calloc((size_t)count * p + 1, characters);
  int numbers[most], sums[most];
  fill(mine, count * p);
  for (int each = 0; each < 4; ++each) {
    reduce(names[each], mine, result, count);
    for (int i = 0; i < count && (each != 1 || rank == 0); ++i)
      faults += !ascends(result + i * characters);
  }
  free(mine);
  free(result);
  for (int i = 0; i < count; ++i) numbers[i] = rank + i;
  MPI_Allreduce(numbers, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i)
    faults += (sums[i] != p * (p - 1) / 2 + p * i) + (numbers[i] != sums[i]);
  for (int i = 0; i < count; ++i) numbers[i] = rank + i;
  MPI_Reduce(numbers, sums, count, MPI_INT, MPI_SUM, p - 1, MPI_COMM_WORLD);
  for (int i = 0; i < count && rank == p - 1; ++i) faults += sums[i] != p * (p - 1) / 2 + p * i;
}

static void check_blocks(int count) {
  int* const mine = calloc((size_t)count * p + 1, sizeof(int));
  int* const all = calloc((size_t)count * p + 1, sizeof(int));
  for (int i = 0; i < count; ++i) mine[i] = 100 * rank + i;
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * p; ++i) faults += all[i] != 100 * (i / count) + i % count;
  memset(all, 0, (size_t)count * p * sizeof(int));
  MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < count * p && rank == 0; ++i)
    faults += all[i] != 100 * (i / count) + i % count;
  for (int i = 0; i < count * p; ++i) mine[i] = rank;
  MPI_Alltoall(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * p; ++i) faults += all[i] != i / count;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mine, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * p; ++i) faults += mine[i] != i / count;
  for (int i = 0; i < count * p; ++i) mine[i] = i;
  MPI_Scatter(mine, count, MPI_INT, all, count, MPI_INT, 1, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) faults += all[i] != rank * count + i;
  for (int i = 0; i < count; ++i) all[i] = rank == 1 ? i : -1;
  MPI_Bcast(all, count, MPI_INT, 1, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) faults += all[i] != i;
  free(mine);
  free(all);
}

int main(int argc, char** argv) {
  static const int counts[] = {0, 1, 2, 3, 5, 30, most};
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Type_contiguous(characters, MPI_CHAR, &text);
  MPI_Type_commit(&text);
  const int checks = strcmp(argv[1], "all") == 0;
  MPI_Op_create(join, !checks, &joining);
  if (!checks) orders(argv[1]);
  for (unsigned i = 0; checks && i < sizeof counts / sizeof *counts; ++i) {
    check_reductions(counts[i]);
    check_blocks(counts[i]);
  }
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && checks) puts(all == 0 ? "right" : "wrong");
  MPI_Op_free(&joining);
  MPI_Type_free(&text);
  MPI_Finalize();
}
