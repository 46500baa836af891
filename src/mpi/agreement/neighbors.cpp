#include "mpi/agreement/neighbors.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "mpi/agreement/comms.h"
#include "mpi/agreement/discovery.h"

namespace toccata {

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int kind_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  return comm != MPI_COMM_NULL && PMPI_Topo_test(comm, &kind) == MPI_SUCCESS ? kind : MPI_UNDEFINED;
}

// A vector of `count` integers, whose address is never null, because MPIs check it.
std::vector<int> integers(int count) {
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(count) + 1);
  result.resize(count);
  return result;
}

// The neighbours of a distributed graph.
struct Lists {
  explicit Lists(MPI_Comm comm) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    sources = integers(in);
    destinations = integers(out);
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), MPI_UNWEIGHTED, out, destinations.data(),
                              MPI_UNWEIGHTED);
  }
  std::vector<int> sources, destinations;
};

std::vector<int> neighbors_in_graph(MPI_Comm comm, int rank) {
  int count = 0;
  PMPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> peers = integers(count);
  PMPI_Graph_neighbors(comm, rank, count, peers.data());
  return peers;
}

// For topologies in which all ranks know all edges.
Neighbors neighbors_of(MPI_Comm comm, const Grid* grid, int rank) {
  if (grid != nullptr) return Neighbors::on_mesh(grid->mesh.neighbors(rank));
  const std::vector<int> peers = neighbors_in_graph(comm, rank);
  return Neighbors::in_graph(peers, peers);
}

void check(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("cannot discover the neighbours of all ranks");
}

}  // namespace

std::shared_ptr<const Neighborhood> own_neighbors(MPI_Comm comm) {
  const int kind = kind_of(comm);
  const auto grid = kind == MPI_CART ? cartesian_grid(comm) : nullptr;
  if (kind == MPI_UNDEFINED || (kind == MPI_CART && grid == nullptr)) return nullptr;
  const int rank = rank_in(comm);
  if (kind != MPI_DIST_GRAPH)
    return std::make_shared<const Neighborhood>(rank, neighbors_of(comm, grid.get(), rank));
  const Lists lists(comm);
  return std::make_shared<const Neighborhood>(
      rank, Neighbors::in_graph(lists.sources, lists.destinations));
}

std::shared_ptr<const Neighborhood> all_neighbors(Exchange exchange) {
  const MPI_Comm comm = exchange.comm();
  int p = 0;
  PMPI_Comm_size(comm, &p);
  std::vector<Neighbors> all;
  if (kind_of(comm) != MPI_DIST_GRAPH) {
    const auto grid = cartesian_grid(comm);
    for (int rank = 0; rank < p; ++rank) all.push_back(neighbors_of(comm, grid.get(), rank));
    return std::make_shared<const Neighborhood>(std::move(all));
  }
  Lists own(comm);
  std::vector<int>& mine = own.sources;
  struct Degrees {
    int in, out;
  };
  const Degrees degrees{static_cast<int>(own.sources.size()),
                        static_cast<int>(own.destinations.size())};
  mine.insert(mine.end(), own.destinations.begin(), own.destinations.end());
  std::vector<Degrees> all_degrees(p);
  std::vector<int> lengths(p), first(p + 1, 0);
  check(exchange.allgather(&degrees, 2, MPI_INT, all_degrees.data()));
  for (int rank = 0; rank < p; ++rank) {
    lengths[rank] = all_degrees[rank].in + all_degrees[rank].out;
    first[rank + 1] = first[rank] + lengths[rank];
  }
  std::vector<int> lists(first[p]);
  check(exchange.allgatherv(mine.data(), lengths[rank_in(comm)], MPI_INT, lists.data(),
                            lengths.data(), first.data()));
  for (int rank = 0; rank < p; ++rank) {
    const std::span its(lists.data() + first[rank], static_cast<std::size_t>(lengths[rank]));
    const auto in = static_cast<std::size_t>(all_degrees[rank].in);
    all.push_back(Neighbors::in_graph(its.first(in), its.subspan(in)));
  }
  return std::make_shared<const Neighborhood>(std::move(all));
}

std::optional<bool> known_to_repeat_edges(MPI_Comm comm) {
  if (kind_of(comm) == MPI_DIST_GRAPH) return {};
  const auto grid = cartesian_grid(comm);
  int p = 0;
  PMPI_Comm_size(comm, &p);
  for (int rank = 0; rank < p; ++rank)
    if (neighbors_of(comm, grid.get(), rank).repeat()) return true;
  return false;
}

int give_topology(MPI_Comm comm, MPI_Comm& bare) {
  const int kind = kind_of(comm);
  MPI_Comm made = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    std::vector<int> dims(dimensions), periods(dimensions), coordinates(dimensions);
    PMPI_Cart_get(comm, dimensions, dims.data(), periods.data(), coordinates.data());
    code = PMPI_Cart_create(bare, dimensions, dims.data(), periods.data(), 0, &made);
  } else if (kind == MPI_GRAPH) {
    int nodes = 0, number = 0;
    PMPI_Graphdims_get(comm, &nodes, &number);
    std::vector<int> index = integers(nodes), edges = integers(number);
    PMPI_Graph_get(comm, nodes, number, index.data(), edges.data());
    code = PMPI_Graph_create(bare, nodes, index.data(), edges.data(), 0, &made);
  } else if (kind == MPI_DIST_GRAPH) {
    const Lists own(comm);
    code = PMPI_Dist_graph_create_adjacent(
        bare, static_cast<int>(own.sources.size()), own.sources.data(), MPI_UNWEIGHTED,
        static_cast<int>(own.destinations.size()), own.destinations.data(), MPI_UNWEIGHTED,
        MPI_INFO_NULL, 0, &made);
  }
  if (made != MPI_COMM_NULL) {
    PMPI_Comm_free(&bare);
    bare = made;
  }
  return code;
}

Peers peers_of(const Collective& collective, MPI_Comm comm) {
  if (!collective.among_neighbors) {
    const int all = peers_in(comm);
    return {all, all};
  }
  const auto own = own_neighbors(comm);
  if (own == nullptr) return {};
  const Neighbors& neighbors = own->of(rank_in(comm));
  return {neighbors.blocks_out, neighbors.blocks_in};
}

}  // namespace toccata
