/* communicators alive|turn N [return]: N communicators, each used for an allgather. They are kept
 * to the end, or each is freed before the next one is created. With "return", errors are returned
 * and count as faults. Prints the bytes of memory that each communicator left behind. */
#include <string.h>

#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int alive = strcmp(argv[1], "alive") == 0, count = atoi(argv[2]);
  if (argc > 3) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm* kept = malloc(sizeof(MPI_Comm) * count);
  long before = 0;
  for (int i = 0; i < count; ++i) {
    if (i == count / 10) before = memory_in_use();
    faults += MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &kept[i]) != MPI_SUCCESS;
    faults += allgather_once(kept[i], i);
    if (!alive) MPI_Comm_free(&kept[i]);
  }
  for (int i = 0; alive && i < count; ++i) {
    faults += allgather_once(kept[i], i + 1);
    MPI_Comm_free(&kept[i]);
  }
  /* The MPI library may keep memory of communicators that exist at the same time. */
  if (rank == 0) printf("%ld\n", alive ? 0 : (memory_in_use() - before) * 10 / (9 * count + 1));
  free(kept);
  finish();
  return 0;
}
