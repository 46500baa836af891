/* A plugin that calls MPI. Its loader may have kept its calls from preloaded libraries. */
#include <mpi.h>

int plugin_sums(int calls) {
  static double mine[4000], sum[4000];
  int rank, p, faults = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int call = 0; call < calls; ++call) {
    const int n = call % 2 ? 4000 : 16;
    for (int i = 0; i < n; ++i) mine[i] = rank + i + call;
    MPI_Allreduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) faults += sum[i] != p * (p - 1) / 2 + (double)p * (i + call);
  }
  return faults;
}

int plugin_alone(int calls) {
  MPI_Init(0, 0);
  const int faults = plugin_sums(calls);
  MPI_Finalize();
  return faults;
}
