/* collectives CALLS: every collective, on several communicators, CALLS times. First, rank 0 prints
 * the host of each rank. */
#include "../preload/guest/guest.h"

static void print_hosts(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", *names = malloc((size_t)p * sizeof name);
  int length;
  MPI_Get_processor_name(name, &length);
  PMPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < p; ++r)
    printf("%s%c", names + r * sizeof name, r == p - 1 ? '\n' : ' ');
  free(names);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  print_hosts();
  enum { communicators = 4 };
  MPI_Comm comms[communicators] = {MPI_COMM_WORLD};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comms[3]);
  for (int call = 0; call < atoi(argv[1]); ++call) {
    for (int i = 0; i < communicators; ++i)
      faults += every_collective(comms[i], 1 + call % 4, call);
    /* Messages that need a rendezvous. In other communicators, MPICH 4.0 itself returns wrong sums.
     */
    if (call % 8 == 7) faults += every_collective(MPI_COMM_WORLD, 40000 / p, call);
  }
  for (int i = 1; i < communicators; ++i) MPI_Comm_free(&comms[i]);
  finish();
  return 0;
}
