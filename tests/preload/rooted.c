/* A barrier, and every rooted and every reducing collective once, and once in place, with different
 * roots. Then a user-defined operation that is not commutative. Rank 0 prints "right". */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

enum { most = 64, n = 3 };
static int rank, p, faults;
static int mine[n * most], all[n * most], got[n * most], counts[most], places[most];

/* Element i of rank r. */
static int value(int r, int i) { return 1000 * r + i; }

/* The sum of element i over all ranks. */
static int sum(int i) { return 1000 * p * (p - 1) / 2 + p * i; }

static void expect(const int* found, int count, int (*expected)(int), int first) {
  for (int i = 0; i < count; ++i) faults += found[i] != expected(first + i);
}

static int gathered(int i) { return value(i / n, i % n); }
static int of_rank_1(int i) { return value(1 % p, i); }

/* An operation that returns its left operand. */
static void left(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(into, from, sizeof(int) * *count);
}

static void rooted(int in_place) {
  const int root = in_place ? p - 1 : 1 % p, at_root = rank == root;
  const void* from = in_place && at_root ? MPI_IN_PLACE : mine;
  if (!in_place) {
    for (int i = 0; i < n; ++i) got[i] = rank == 1 % p ? mine[i] : -1;
    MPI_Bcast(got, n, MPI_INT, 1 % p, MPI_COMM_WORLD);
    expect(got, n, of_rank_1, 0);
  }
  for (int vector = 0; vector < 2; ++vector) {
    for (int i = 0; i < n * p; ++i) got[i] = in_place && i / n == rank ? gathered(i) : -1;
    if (vector)
      MPI_Gatherv(from, n, MPI_INT, got, counts, places, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Gather(from, n, MPI_INT, got, n, MPI_INT, root, MPI_COMM_WORLD);
    if (at_root) expect(got, n * p, gathered, 0);

    void* into = in_place && at_root ? MPI_IN_PLACE : got;
    for (int i = 0; i < n * p; ++i) all[i] = at_root ? gathered(i) : -1;
    if (vector)
      MPI_Scatterv(all, counts, places, MPI_INT, into, n, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Scatter(all, n, MPI_INT, into, n, MPI_INT, root, MPI_COMM_WORLD);
    expect(in_place && at_root ? all + n * rank : got, n, gathered, n * rank);
  }
  memcpy(got, mine, sizeof got);
  MPI_Reduce(from, got, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (at_root) expect(got, n, sum, 0);
}

/* The sum of element i over all lower ranks, and the same with this rank. */
static int sum_below(int i) { return 1000 * rank * (rank - 1) / 2 + rank * i; }
static int sum_so_far(int i) { return sum_below(i) + mine[i]; }

static void reducing(int in_place) {
  const void* from = in_place ? MPI_IN_PLACE : mine;
  memcpy(got, mine, sizeof got);
  MPI_Allreduce(from, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(got, n, sum, 0);
  memcpy(got, mine, sizeof got);
  MPI_Reduce_scatter_block(from, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(got, n, sum, n * rank);
  memcpy(got, mine, sizeof got);
  MPI_Reduce_scatter(from, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(got, n, sum, n * rank);
  memcpy(got, mine, sizeof got);
  MPI_Scan(from, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(got, n, sum_so_far, 0);
  memcpy(got, mine, sizeof got);
  MPI_Exscan(from, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank > 0) expect(got, n, sum_below, 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int of_rank_0(int i) { return value(0, i); }

int main(int argc, char** argv) {
  MPI_Op keep_left;
  int all_faults = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int i = 0; i < n * p; ++i) mine[i] = value(rank, i);
  for (int r = 0; r < p; ++r) {
    counts[r] = n;
    places[r] = n * r;
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    rooted(in_place);
    reducing(in_place);
  }
  MPI_Op_create(left, 0, &keep_left);
  MPI_Allreduce(mine, got, n, MPI_INT, keep_left, MPI_COMM_WORLD);
  expect(got, n, of_rank_0, 0);
  MPI_Op_free(&keep_left);

  PMPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
