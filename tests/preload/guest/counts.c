/* The collectives of MPI 4 with counts of type MPI_Count. */
#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  enum { n = 5, most = 64 };
  int mine[n * most], got[n * most];
  MPI_Count counts[most];
  MPI_Aint places[most];
  for (int i = 0; i < n * p; ++i) mine[i] = 100 * rank + i;
  for (int r = 0; r < p; ++r) {
    counts[r] = n;
    places[r] = n * r;
  }
  const int ranks = 100 * p * (p - 1) / 2;
  MPI_Allreduce_c(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) faults += got[i] != ranks + p * i;
  MPI_Allgather_c(mine, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * p; ++i) faults += got[i] != 100 * (i / n) + i % n;
  MPI_Allgatherv_c(mine, n, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * p; ++i) faults += got[i] != 100 * (i / n) + i % n;
  MPI_Alltoall_c(mine, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * p; ++i) faults += got[i] != 100 * (i / n) + n * rank + i % n;
  MPI_Alltoallv_c(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * p; ++i) faults += got[i] != 100 * (i / n) + n * rank + i % n;
  MPI_Gather_c(mine, n, MPI_INT, got, n, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < n * p; ++i) faults += got[i] != 100 * (i / n) + i % n;
  MPI_Scatter_c(mine, n, MPI_INT, got, n, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) faults += got[i] != n * rank + i;
  MPI_Reduce_c(mine, got, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < n; ++i) faults += got[i] != ranks + p * i;
  MPI_Reduce_scatter_block_c(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) faults += got[i] != ranks + p * (n * rank + i);
  MPI_Scan_c(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) faults += got[i] != 100 * rank * (rank + 1) / 2 + (rank + 1) * i;
  MPI_Exscan_c(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; rank > 0 && i < n; ++i)
    faults += got[i] != 100 * rank * (rank - 1) / 2 + rank * i;
  MPI_Bcast_c(mine, n, MPI_INT, p - 1, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) faults += mine[i] != 100 * (p - 1) + i;
  finish();
  return 0;
}
