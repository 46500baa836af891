/* sessions world|only: communicators created from groups of a session, next to a world or without
 * one. */
#include <string.h>

#include "guest.h"

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group group, some;
  MPI_Comm comm, part;
  int found = 0, all = 0, me;
  const int world = strcmp(argv[1], "world") == 0;
  if (world) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < 3; ++i) found += every_collective(comm, 3, i);
  if (world) found += every_collective(MPI_COMM_WORLD, 2, 1);
  int zero = 0;
  MPI_Group_excl(group, 1, &zero, &some);
  if (me > 0) {
    MPI_Comm_create_from_group(some, "some", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
    found += every_collective(part, 3, 1);
    MPI_Comm_free(&part);
  }
  PMPI_Reduce(&found, &all, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&some);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (me == 0) puts(all == 0 ? "right" : "wrong");
  if (world) MPI_Finalize();
  return 0;
}
