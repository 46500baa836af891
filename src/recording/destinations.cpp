#include "recording/flows.h"

namespace toccata::recording {

std::vector<int> destinations(MPI_Comm comm) {
  std::vector<int> result;
  int kind = MPI_UNDEFINED, rank = 0;
  PMPI_Topo_test(comm, &kind);
  PMPI_Comm_rank(comm, &rank);
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int i = 0; i < dimensions; ++i) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, i, 1, &below, &above);
      result.insert(result.end(), {below, above});
    }
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    PMPI_Graph_neighbors_count(comm, rank, &count);
    result.resize(count);
    PMPI_Graph_neighbors(comm, rank, count, result.data());
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> sources(in + 1);  // MPIs reject null addresses
    result.resize(out + 1);
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), MPI_UNWEIGHTED, out, result.data(),
                              MPI_UNWEIGHTED);
    result.resize(out);
  }
  return result;
}

}  // namespace toccata::recording
