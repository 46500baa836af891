#include "mpi/agreement/group.h"

#include <numeric>

namespace toccata {

std::vector<int> ranks_in_world(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  std::vector<int> own(p), there(p);
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(Group(comm), p, own.data(), Group(MPI_COMM_WORLD), there.data());
  return there;
}

}  // namespace toccata
