/* Prints the bits of sums of doubles, which depend on the order of additions. The same numbers are
 * summed in calls of different lengths, by every reducing collective, with every root. All sums are
 * equal if they are reproducible; the sums of scans are only compared with each other. Prints the
 * number of different sums, and the first sum. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

enum { most = 64, longest = 500 };
static double mine[longest * most], got[longest * most], below[longest];
static double seen[4 * most];
static int distinct;

static void note(double sum) {
  for (int i = 0; i < distinct; ++i)
    if (memcmp(&seen[i], &sum, sizeof sum) == 0) return;
  if (distinct < 4 * most) seen[distinct++] = sum;
}

int main(int argc, char** argv) {
  static const int lengths[] = {1, 2, 37, longest};
  int rank, p, most_distinct;
  double number;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  number = (rank % 2 == 0 ? 1e16 : -1e16) / (1 + rank / 2) + 1.0 / (3 + rank);
  for (int i = 0; i < longest * p; ++i) mine[i] = number;
  for (int k = 0; k < 4; ++k) {
    const int n = lengths[k];
    MPI_Allreduce(mine, got, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) note(got[i]);
    for (int root = 0; root < p; ++root) {
      MPI_Reduce(mine, got, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      for (int i = 0; rank == root && i < n; ++i) note(got[i]);
    }
    MPI_Reduce_scatter_block(mine, got, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) note(got[i]);
    /* Each rank's scan gives another sum, which an exclusive scan over the same ranks must give as
     * well. */
    MPI_Scan(mine, got, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Sendrecv(got, n, MPI_DOUBLE, rank + 1 < p ? rank + 1 : MPI_PROC_NULL, 0, below, n,
                 MPI_DOUBLE, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Exscan(mine, got, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; rank > 0 && i < n; ++i)
      if (memcmp(&got[i], &below[0], sizeof(double)) != 0) note(got[i]);
  }
  PMPI_Reduce(&distinct, &most_distinct, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %a\n", most_distinct, seen[0]);
  MPI_Finalize();
  return 0;
}
