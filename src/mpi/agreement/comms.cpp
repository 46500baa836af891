#include "mpi/agreement/comms.h"

#include "mpi/data/roomy_stack.h"
#include "mpi/libraries/library.h"
#include "mpi/world/world.h"

namespace toccata {

int peers_in(MPI_Comm comm) {
  int inter = 0, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  inter != 0 ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
  return count;
}

int make_bare(MPI_Comm comm, MPI_Comm& made) {
  MPI_Group group;
  if (int code = PMPI_Comm_group(comm, &group); code != MPI_SUCCESS) return code;
  int code = MPI_SUCCESS;
  on_roomy_stack([&] { code = PMPI_Comm_create(comm, group, &made); });
  PMPI_Group_free(&group);
  return code;
}

// In MPICH, a communicator from MPI_Comm_create has no error handler of its own: it uses the
// world's. But a query returns MPI_ERRORS_ARE_FATAL.
void call_errhandler(MPI_Comm comm, int code) {
  const bool has_world = !World::is_ours() || World::is_initialized();
  if (comm == MPI_COMM_WORLD && !has_world) return;
  if (our_mpi.hides_errhandler && has_world) {
    MPI_Errhandler handler;
    PMPI_Comm_get_errhandler(comm, &handler);
    if (handler == MPI_ERRORS_ARE_FATAL) comm = MPI_COMM_WORLD;
    PMPI_Errhandler_free(&handler);
  }
  InHandlers::call([&] { return PMPI_Comm_call_errhandler(comm, code); });
}

}  // namespace toccata
