#include "mpi/world/ranks.h"

#include <numeric>

#include "mpi/world/group.h"
#include "mpi/world/world.h"

namespace toccata {

std::vector<int> ranks_in_world(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  std::vector<int> own(p), there(p);
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(Group(comm), p, own.data(), Group(World::comm()), there.data());
  return there;
}

}  // namespace toccata
