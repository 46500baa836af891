/* Clocks that jump by up to an hour every 20 ms, and run at different rates on the ranks. */
#include <mpi.h>

#include <stdlib.h>
#include <time.h>

static int own_rank(void) {
  const char* text = getenv("OMPI_COMM_WORLD_RANK");
  if (text == NULL) text = getenv("PMI_RANK");
  return text == NULL ? 0 : atoi(text);
}

double MPI_Wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = now.tv_sec + now.tv_nsec * 1e-9;
  const unsigned rank = own_rank(), slice = (unsigned)(seconds / 0.02) + rank;
  const double jump = slice * 2654435761u % 7200 - 3600.0;
  return seconds * (1 + rank) + jump;
}

double PMPI_Wtime(void) { return MPI_Wtime(); }
