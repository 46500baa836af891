#include "mpi/communicator/topologies.h"

#include <algorithm>
#include <map>

#include "choices/cart_weights.h"
#include "mpi/communicator/communicator.h"
#include "mpi/communicator/reordering.h"
#include "topology/words.h"

namespace toccata {

bool reorders_topologies(int reorder) {
  return reorder != 0 && Settings::get().topology().reorders_topologies;
}

int reorder_for_topology(MPI_Comm comm,
                         const std::function<Mapping(const Placement& placement)>& map,
                         MPI_Comm& bare) {
  bare = MPI_COMM_NULL;
  Communicator* const communicator = Communicator::of(comm);
  if (communicator == nullptr || communicator->is_inter() || !communicator->obey_rules())
    return MPI_SUCCESS;
  Mapping players;
  try {
    players = map(*communicator->placement());
  } catch (const ChoiceError& error) {
    communicator->say_once("TOCCATA_TOPOLOGY: reorder:topologies: a topology " +
                           std::string(error.what()) + ". Keeping the order of its ranks.");
    return MPI_SUCCESS;
  }
  if (players == identity(communicator->size())) return MPI_SUCCESS;
  return reordered(comm, players, bare);
}

std::vector<double> cart_weights(MPI_Comm comm, int dimensions) {
  Communicator& communicator = *Communicator::of(comm);
  const std::string by_info = communicator.cart_weights();
  const std::string text =
      by_info.empty() ? Settings::get().topology().weights_of(dimensions) : by_info;
  std::string complaint;
  std::vector<double> mine(dimensions, 1);
  try {
    if (!text.empty()) mine = parse_cart_weights(text, dimensions);
  } catch (const ChoiceError& error) {
    complaint = error.what();
    mine.assign(dimensions, -1);
  }
  // The least weights of all ranks are also the greatest ones.
  std::vector<double> both = mine, least(2 * both.size());
  for (const double each : mine) both.push_back(-each);
  if (!communicator.agree(both, least)) return {};
  const bool are_alike = std::ranges::equal(least, both);
  if (are_alike && complaint.empty()) return text.empty() ? std::vector<double>() : mine;
  if (complaint.empty())
    complaint = quoted(text) + ": other ranks have other values, or wrong ones";
  communicator.say_once("info key toccata_cart_weights=" + complaint +
                        ". Using the same weight for all dimensions.");
  return {};
}

Flows flows_of_edges(int p, const std::vector<int>& edges) {
  std::vector<std::map<int, double>> rows(p);
  for (std::size_t i = 0; i + 2 < edges.size(); i += 3) {
    const int from = edges[i], to = edges[i + 1];
    if (from >= 0 && from < p && to >= 0 && to < p && from != to) rows[from][to] += edges[i + 2];
  }
  Flows flows;
  for (const auto& row : rows) flows.add_row({row.begin(), row.end()});
  return flows;
}

int gather_lists(MPI_Comm comm, const std::vector<int>& mine, std::vector<int>& all,
                 std::vector<int>& first) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(p);
  if (int code = PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
      code != MPI_SUCCESS)
    return code;
  first.assign(p + 1, 0);
  for (int rank = 0; rank < p; ++rank) first[rank + 1] = first[rank] + lengths[rank];
  all.resize(first[p]);
  return PMPI_Allgatherv(mine.data(), length, MPI_INT, all.data(), lengths.data(), first.data(),
                         MPI_INT, comm);
}

int gather_edges(MPI_Comm comm, const std::vector<int>& mine, Flows& flows) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  std::vector<int> all, first;
  const int code = gather_lists(comm, mine, all, first);
  if (code == MPI_SUCCESS) flows = flows_of_edges(p, all);
  return code;
}

}  // namespace toccata
