/* Spawns two processes; all processes share one communicator. An argument is a variable with its
   value in the environment of these two. */
#include <unistd.h>

#include "guest.h"

int main(int argc, char** argv) {
  MPI_Comm parent, between, together, part;
  MPI_Info info = MPI_INFO_NULL;
  start(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  const int child = parent != MPI_COMM_NULL;
  if (argc > 1) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "env", argv[1]);
  }
  if (child)
    between = parent;
  else
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  MPI_Intercomm_merge(between, child, &together);
  for (int i = 0; i < 3; ++i) faults += every_collective(together, 3, i);
  MPI_Comm_dup(together, &part);
  faults += every_collective(part, 2, 1);
  MPI_Comm_free(&part);
  int me;
  MPI_Comm_rank(together, &me);
  MPI_Comm_split(together, me % 2, 0, &part);
  faults += every_collective(part, 2, 1);
  MPI_Comm_free(&part);
  int size, got[2] = {-1, -1};
  MPI_Comm_size(together, &size);
  const int below = (me + size - 1) % size, above = (me + 1) % size;
  MPI_Dist_graph_create_adjacent(together, 1, &below, MPI_UNWEIGHTED, 1, &above, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 1, &part);
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, part);
  MPI_Comm_free(&part);
  const int one = 1;
  MPI_Dist_graph_create(together, 1, &me, &one, &above, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &part);
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got + 1, 1, MPI_INT, part);
  MPI_Comm_free(&part);
  faults += (got[0] != below) + (got[1] != below);
  /* Also inside each world, and in both worlds in turn: their ranks have equal numbers. */
  faults += every_collective(MPI_COMM_WORLD, 3, 0);
  faults += every_collective(together, 3, 0);
  int all = 0;
  PMPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, together);
  faults = all;
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&between);
  if (!child && rank == 0) puts(all == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
