/* Makes `calls` collectives on a communicator that it frees. Before each of them, rank `late`
 * sleeps longer than the others. The collective is an allreduce, or a broadcast from `root`. For
 * each rank, prints the seconds for which others waited for it, and the number of calls in which
 * they did. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Time namespaces do not change this clock. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* `arrived`: of all calls of rank 0, then of rank 1, ... */
static void show_waiting(const double* arrived, int calls, int ranks, int root) {
  for (int awaited = 0; awaited < ranks; ++awaited) {
    double seconds = 0;
    int times = 0;
    for (int call = 0; call < calls; ++call) {
      int last = root < 0 ? 0 : root, waits = 0;
      for (int rank = 0; root < 0 && rank < ranks; ++rank)
        if (arrived[rank * calls + call] > arrived[last * calls + call]) last = rank;
      for (int rank = 0; rank < ranks && last == awaited; ++rank) {
        const double waited = arrived[last * calls + call] - arrived[rank * calls + call];
        if (waited > 0) seconds += waited;
        waits |= waited > 0;
      }
      times += waits;
    }
    printf("%.9f %d\n", seconds, times);
  }
}

int main(int argc, char** argv) {
  const int calls = atoi(argv[1]), late = atoi(argv[2]), microseconds = atoi(argv[3]);
  const int root = argc > 4 ? atoi(argv[4]) : -1;
  int rank = 0, ranks = 0, one = 1, sum = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  double* const arrived = malloc((size_t)calls * sizeof(double));
  double* const all = malloc((size_t)calls * (size_t)ranks * sizeof(double));
  for (int call = 0; call < calls; ++call) {
    usleep(200 + (rank == late ? microseconds : 0));
    arrived[call] = now();
    if (root < 0)
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    else
      MPI_Bcast(&one, 1, MPI_INT, root, comm);
  }
  MPI_Comm_free(&comm);
  MPI_Gather(arrived, calls, MPI_DOUBLE, all, calls, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) show_waiting(all, calls, ranks, root);
  MPI_Finalize();
  free(arrived);
  free(all);
  return 0;
}
