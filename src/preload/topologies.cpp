// MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create*: if the program allows ranks to be
// reordered and TOCCATA_TOPOLOGY has reorder:topologies, neighbours are placed near each other. All
// other calls go to MPI directly. Also MPI_Comm_set_info, which may contain our keys,
// MPI_Comm_idup, which changes how ranks exchange data (mpi/agreement/exchange.h), and the
// functions in which MPI copies or deletes attributes.

#include "mpi/communicator/topologies.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "api/guard.h"
#include "mpi/settings/info.h"
#include "mpi/settings/settings.h"
#include "preload/interposed.h"
#include "topology/reorder/best_mapping.h"
#include "topology/reorder/fold.h"

namespace toccata {
namespace {

int ranks_in(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0)
    return -1;
  PMPI_Comm_size(comm, &size);
  return size;
}

// Whether a mesh has at least one cell and at most that many.
bool fits(const Mesh& mesh, int most) {
  for (const int size : mesh.dims) {
    if (size < 1 || size > most) return false;
    most /= size;
  }
  return true;
}

// on_reordered() for a graph. `edges`: three numbers each (from, to, weight). Wrong ranks are left
// out; MPI reports them.
int make_graph(MPI_Comm comm, const std::vector<int>& edges,
               const std::function<int(MPI_Comm comm)>& make) {
  const auto map = [&](const Placement& placement) {
    const int p = placement.p();
    std::vector<std::map<int, double>> rows(p);
    for (std::size_t i = 0; i + 2 < edges.size(); i += 3) {
      const int from = edges[i], to = edges[i + 1];
      if (from >= 0 && from < p && to >= 0 && to < p && from != to) rows[from][to] += edges[i + 2];
    }
    Flows flows;
    for (const auto& row : rows) flows.add_row({row.begin(), row.end()});
    BestMapping best(placement, flows);
    best.offer_usual_ones();
    return std::move(best).result();
  };
  return on_reordered(comm, map, make);
}

// Whether a list of that many numbers can be read at all; MPI detects other errors.
bool is_list(int count, const int* numbers) {
  return count == 0 || (count > 0 && numbers != nullptr);
}

}  // namespace
}  // namespace toccata

using namespace toccata;

// Every rank passes the same arguments, so all agree whether they are valid; MPI reports errors.
TOCCATA_INTERPOSED(Cart_create, RawComm raw, int ndims, const int* dims, const int* periods,
                   int reorder, MPI_Comm* made) {
  const auto make = [&](RawComm on, int again) {
    return next_Cart_create()(on, ndims, dims, periods, again, made);
  };
  if (!reorders_topologies(reorder) || ndims < 1 || dims == nullptr || periods == nullptr)
    return make(raw, reorder);
  const auto comm = (MPI_Comm)raw;
  return guarded_collective(comm, [&]() -> int {
    const Mesh mesh{{dims, dims + ndims}, std::vector<bool>(periods, periods + ndims)};
    const int ranks = ranks_in(comm);
    if (!fits(mesh, ranks)) return make(raw, reorder);
    return on_reordered(
        comm,
        [&](const Placement& placement) {
          const Weights weights = cart_weights(comm, ndims);
          return mesh.cells() == ranks ? fold(placement, mesh, weights)
                                       : fold_some(placement, mesh, weights);
        },
        [&](MPI_Comm on) { return make(on, 0); });
  });
}

TOCCATA_INTERPOSED(Graph_create, RawComm raw, int nnodes, const int* index, const int* edges,
                   int reorder, MPI_Comm* made) {
  const auto make = [&](RawComm on, int again) {
    return next_Graph_create()(on, nnodes, index, edges, again, made);
  };
  const auto comm = (MPI_Comm)raw;
  if (!reorders_topologies(reorder) || nnodes < 1 || nnodes != ranks_in(comm) || index == nullptr ||
      index[0] < 0 || !std::is_sorted(index, index + nnodes) || !is_list(index[nnodes - 1], edges))
    return make(raw, reorder);
  return guarded_collective(comm, [&]() -> int {
    std::vector<int> all;
    for (int node = 0, edge = 0; node < nnodes; ++node)
      for (; edge < index[node]; ++edge) all.insert(all.end(), {node, edges[edge], 1});
    return make_graph(comm, all, [&](MPI_Comm on) { return make(on, 0); });
  });
}

TOCCATA_INTERPOSED(Dist_graph_create, RawComm raw, int n, const int* sources, const int* degrees,
                   const int* destinations, const int* weights, Raw<MPI_Info> info, int reorder,
                   MPI_Comm* made) {
  const auto make = [&](RawComm on, int again) {
    return next_Dist_graph_create()(on, n, sources, degrees, destinations, weights, info, again,
                                    made);
  };
  const auto comm = (MPI_Comm)raw;
  if (!reorders_topologies(reorder) || ranks_in(comm) < 1 || !is_list(n, sources) ||
      !is_list(n, degrees))
    return make(raw, reorder);
  int number = 0;  // of edges
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0) return make(raw, reorder);
    number += degrees[i];
  }
  if (!is_list(number, destinations) || !is_list(number, weights)) return make(raw, reorder);
  return guarded_collective(comm, [&]() -> int {
    if (!may_reorder(comm)) return make(raw, reorder);
    std::vector<int> mine;
    for (int i = 0, edge = 0; i < n; ++i)
      for (int j = 0; j < degrees[i]; ++j, ++edge)
        mine.insert(mine.end(), {sources[i], destinations[edge],
                                 weights == MPI_UNWEIGHTED ? 1 : weights[edge]});
    std::vector<int> all, first;
    if (int code = gather_lists(comm, mine, all, first); code != MPI_SUCCESS) return code;
    return make_graph(comm, all, [&](MPI_Comm on) { return make(on, 0); });
  });
}

// Every rank passes the neighbours of its own node; they are sent to the rank that becomes that
// node.
TOCCATA_INTERPOSED(Dist_graph_create_adjacent, RawComm raw, int indegree, const int* sources,
                   const int* sourceweights, int outdegree, const int* destinations,
                   const int* destweights, Raw<MPI_Info> info, int reorder, MPI_Comm* made) {
  const auto make = [&](RawComm on, int again) {
    return next_Dist_graph_create_adjacent()(on, indegree, sources, sourceweights, outdegree,
                                             destinations, destweights, info, again, made);
  };
  const auto comm = (MPI_Comm)raw;
  if (!reorders_topologies(reorder) || ranks_in(comm) < 1 || !is_list(indegree, sources) ||
      !is_list(indegree, sourceweights) || !is_list(outdegree, destinations) ||
      !is_list(outdegree, destweights))
    return make(raw, reorder);
  return guarded_collective(comm, [&]() -> int {
    if (!may_reorder(comm)) return make(raw, reorder);
    // indegree, outdegree, sources, their weights, destinations, their weights
    const bool unweighted = sourceweights == MPI_UNWEIGHTED || destweights == MPI_UNWEIGHTED;
    std::vector<int> mine{indegree, outdegree};
    const auto append = [&](int count, const int* neighbours, const int* weights) {
      mine.insert(mine.end(), neighbours, neighbours + count);
      for (int i = 0; i < count; ++i) mine.push_back(unweighted ? 1 : weights[i]);
    };
    append(indegree, sources, sourceweights);
    append(outdegree, destinations, destweights);
    std::vector<int> all, first;
    if (int code = gather_lists(comm, mine, all, first); code != MPI_SUCCESS) return code;
    std::vector<int> edges;
    for (int rank = 0; rank < ranks_in(comm); ++rank) {
      const int* const list = all.data() + first[rank];
      const int* const to = list + 2 + 2 * std::ptrdiff_t{list[0]};
      for (int i = 0; i < list[1]; ++i) edges.insert(edges.end(), {rank, to[i], to[list[1] + i]});
    }
    return make_graph(comm, edges, [&](MPI_Comm on) {
      if (on == comm) return make(on, 0);
      int node = 0;
      PMPI_Comm_rank(on, &node);
      const int* const list = all.data() + first[node];
      const int* const from = list + 2;
      const int* const to = from + 2 * std::ptrdiff_t{list[0]};
      return next_Dist_graph_create_adjacent()(
          on, list[0], from, unweighted ? MPI_UNWEIGHTED : from + list[0], list[1], to,
          unweighted ? MPI_UNWEIGHTED : to + list[1], info, 0, made);
    });
  });
}

TOCCATA_INTERPOSED(Comm_free, MPI_Comm* comm) {
  if (!Settings::get().is_our_mpi() || comm == nullptr) return next_Comm_free()(comm);
  const Communicator::WalkingAttributes here(*comm, true);
  return next_Comm_free()(comm);
}

TOCCATA_INTERPOSED(Comm_disconnect, MPI_Comm* comm) {
  if (!Settings::get().is_our_mpi() || comm == nullptr) return next_Comm_disconnect()(comm);
  const Communicator::WalkingAttributes here(*comm, true);
  return next_Comm_disconnect()(comm);
}

TOCCATA_INTERPOSED(Comm_dup, RawComm comm, MPI_Comm* made) {
  if (!Settings::get().is_our_mpi()) return next_Comm_dup()(comm, made);
  const Communicator::WalkingAttributes here((MPI_Comm)comm, false);
  return next_Comm_dup()(comm, made);
}

TOCCATA_INTERPOSED(Comm_dup_with_info, RawComm comm, Raw<MPI_Info> info, MPI_Comm* made) {
  if (!Settings::get().is_our_mpi()) return next_Comm_dup_with_info()(comm, info, made);
  const Communicator::WalkingAttributes here((MPI_Comm)comm, false);
  return next_Comm_dup_with_info()(comm, info, made);
}

TOCCATA_INTERPOSED(Comm_delete_attr, RawComm comm, int keyval) {
  if (!Settings::get().is_our_mpi()) return next_Comm_delete_attr()(comm, keyval);
  const Communicator::WalkingAttributes here((MPI_Comm)comm, false);
  return next_Comm_delete_attr()(comm, keyval);
}

TOCCATA_INTERPOSED(Comm_set_info, RawComm comm, Raw<MPI_Info> info) {
  const int code = next_Comm_set_info()(comm, info);
  if (code != MPI_SUCCESS || !Settings::get().is_our_mpi() || !has_keys_of_ours((MPI_Info)info))
    return code;
  return toccata_comm_set_info((MPI_Comm)comm, (MPI_Info)info);
}

#ifdef OPEN_MPI

extern "C" TOCCATA_PUBLIC int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  return pass_on_idup<int>("MPI_Comm_idup", comm, comm, made, request);
}

extern "C" TOCCATA_PUBLIC int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made,
                                                      MPI_Request* request) {
  return pass_on_idup<int>("MPI_Comm_idup_with_info", comm, comm, info, made, request);
}

#endif
