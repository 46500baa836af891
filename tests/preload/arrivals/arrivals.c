/* arrivals CALLS LATE MICROSECONDS [ROOT [PERIOD]]: makes CALLS collectives on a communicator that
 * it frees. Before each of them, rank LATE sleeps longer than the others; or ranks FIRST-LAST; or
 * with `any`, another rank each time. The collective is an allreduce, or a broadcast from ROOT (not
 * -1). With PERIOD (microseconds), one call begins in each period, at the same time on all ranks.
 * For each rank, prints the seconds for which others waited for it, and the number of calls in
 * which they did. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void sleep_until(double seconds) {
  const struct timespec until = {.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

/* The ranks that are late for a call: the lowest and the highest one. */
static void find_late(const char* late, int call, int ranks, int* first, int* last) {
  if (strcmp(late, "any") == 0)
    *first = *last = (int)((unsigned)call * 2654435761u >> 16) % ranks;
  else if (sscanf(late, "%d-%d", first, last) == 1)
    *last = *first;
}

int main(int argc, char** argv) {
  const int calls = atoi(argv[1]), microseconds = atoi(argv[3]);
  const int root = argc > 4 ? atoi(argv[4]) : -1, period = argc > 5 ? atoi(argv[5]) : 0;
  int rank = 0, ranks = 0, one = 1, sum = 0, first = -1, last = -1;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  double* const arrived = malloc((size_t)calls * sizeof(double));
  double* const all = malloc((size_t)calls * (size_t)ranks * sizeof(double));
  double start = now() + 20e-3;
  if (period > 0) MPI_Bcast(&start, 1, MPI_DOUBLE, 0, comm);
  for (int call = 0; call < calls; ++call) {
    find_late(argv[2], call, ranks, &first, &last);
    const int more = first <= rank && rank <= last ? microseconds : 0;
    if (period > 0)
      sleep_until(start + 1e-6 * ((double)call * period + more));
    else
      usleep((useconds_t)(200 + more));
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
