#include "mpi/process/ending.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "mpi/world/world.h"

namespace toccata {

bool has_other_ranks(MPI_Comm comm) noexcept {
  int size = 0, is_inter = 0;
  return PMPI_Comm_size(comm, &size) != MPI_SUCCESS || size > 1 ||
         PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0;
}

void end_job(const char* why) noexcept {
  std::fprintf(stderr,
               "toccata: %s. Ending the job, because the other ranks would wait forever. If this "
               "repeats, set TOCCATA=off.\n",
               why);
  // Launchers lose what a rank writes immediately before it aborts.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  PMPI_Abort(World::comm(), MPI_ERR_NO_MEM);
  std::abort();
}

}  // namespace toccata
