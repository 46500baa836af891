/* Calls every collective with send buffers in memory that the program can only read. A write would
 * end the program. In a scatter in place, the root's own block is also there. If Toccata serves all
 * broadcasts, these are from such memory, too. Rank 0 prints "right" if all results are. */
#define _GNU_SOURCE
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, p, wrong, reads_only;

static void expect(const char* what, int n, const int* found, int first) {
  for (int i = 0; i < n; ++i)
    if (found[i] != first + i && wrong++ < 5)
      fprintf(stderr, "rank %d, %s of %d: element %d is %d\n", rank, what, n, i, found[i]);
}

/* `mine` contains 1000000 * rank + i in element i. */
static void call_all(const int* mine, int* into, int n) {
  const int own = 1000000 * rank, sum = 1000000 * (p * (p - 1) / 2);
  memset(into, -1, sizeof(int) * n * p);
  MPI_Allgather(mine, n, MPI_INT, into, n, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < p; ++r) expect("allgather", n, into + r * n, 1000000 * r);
  MPI_Alltoall(mine, n, MPI_INT, into, n, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < p; ++r) expect("alltoall", n, into + r * n, 1000000 * r + rank * n);
  /* Element 0 is enough for sums, because the others differ by more than one. */
  MPI_Allreduce(mine, into, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect("allreduce", 1, into, sum);
  MPI_Reduce_scatter_block(mine, into, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect("reduce_scatter", n, into, 1000000 * (p - 1) + rank * n);
  MPI_Scan(mine, into, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect("scan", n, into, own);
  MPI_Exscan(mine, into, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank > 0) expect("exscan", n, into, own - 1000000);
  for (int root = 0; root < p; root += p - 1) {
    const int at_root = rank == root;
    MPI_Reduce(mine, into, n, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
    if (at_root) expect("reduce", n, into, 1000000 * (p - 1));
    MPI_Gather(mine, n, MPI_INT, into, n, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; at_root && r < p; ++r) expect("gather", n, into + r * n, 1000000 * r);
    for (int in_place = 0; in_place < 2; ++in_place) {
      void* const target = at_root && in_place ? MPI_IN_PLACE : into;
      memset(into, -1, sizeof(int) * n);
      MPI_Scatter(mine, n, MPI_INT, target, n, MPI_INT, root, MPI_COMM_WORLD);
      if (target == into) expect("scatter", n, into, 1000000 * root + rank * n);
    }
    memset(into, -1, sizeof(int) * n);
    if (at_root && !reads_only) memcpy(into, mine, sizeof(int) * n);
    MPI_Bcast(at_root && reads_only ? (void*)mine : into, n, MPI_INT, root, MPI_COMM_WORLD);
    if (!at_root) expect("bcast", n, into, 1000000 * root);
  }
}

int main(int argc, char** argv) {
  static const int lengths[] = {2, 1000, 40000}, calls[] = {40, 40, 5};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  reads_only = getenv("TOCCATA_BCAST") != NULL;
  for (int k = 0; k < 3; ++k) {
    const size_t bytes = sizeof(int) * lengths[k] * p;
    int* const into = malloc(bytes);
    int* const mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < lengths[k] * p; ++i) mine[i] = 1000000 * rank + i;
    mprotect(mine, bytes, PROT_READ);
    for (int call = 0; call < calls[k]; ++call) call_all(mine, into, lengths[k]);
    munmap(mine, bytes);
    free(into);
  }
  int all = 0;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
