#include "mpi/communicator/topologies.h"

#include <algorithm>

#include "choices/cart_weights.h"
#include "choices/ranking.h"
#include "mpi/communicator/communicator.h"
#include "mpi/libraries/library.h"
#include "topology/placements.h"
#include "topology/words.h"
#include "writing/registry.h"

namespace toccata {

int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made) {
  Communicator* const communicator = Communicator::of(comm);
  int size = 0;
  PMPI_Comm_size(comm, &size);
  if (communicator == nullptr || communicator->is_inter())
    throw ChoiceError("ranks of an intercommunicator cannot be reordered");
  const auto placement = communicator->placement();
  std::vector<int> players;
  const std::size_t slash = pattern.find('/');
  const Collective* const collective =
      slash == pattern.npos ? nullptr : find_collective(pattern.substr(0, slash));
  if (collective != nullptr) {
    Shape known{.p = size};
    known.placement = placement;
    known.grid = grid_of(*placement);
    const Choice choice = parse_choice(*collective, pattern);
    const Shape shape = shape_of(choice, known);
    players = mapping_for(*choice.algorithm, shape);
  } else {
    const Pattern& named = pattern_named(pattern);
    if (!named.is_possible(size))
      throw ChoiceError("pattern " + std::string(named.name) +
                        " needs a power of two ranks (there are " + std::to_string(size) +
                        " ranks)");
    players = named.map(*placement, {});
  }
  return reordered(comm, players, made);
}

int reordered(MPI_Comm comm, const std::vector<int>& players, MPI_Comm& made) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, 0, inverse(players)[rank], &made);
}

bool reorders_topologies(int reorder) {
  const Settings& settings = Settings::get();
  if (reorder == 0 || !settings.is_our_mpi() || !settings.topology().reorders_topologies)
    return false;
  const Process* const process = Process::current();  // off: not all ranks may have the setting
  return process != nullptr && !process->is_off();
}

bool may_reorder(MPI_Comm comm) {
  Communicator* const communicator = Communicator::of(comm);
  return communicator != nullptr && !communicator->is_inter() && communicator->obey_rules();
}

int on_reordered(MPI_Comm comm, const std::function<Mapping(const Placement& placement)>& map,
                 const std::function<int(MPI_Comm comm)>& make) {
  if (!may_reorder(comm)) return make(comm);
  Communicator& communicator = *Communicator::of(comm);
  Mapping players;
  try {
    players = map(*communicator.placement());
  } catch (const ChoiceError& error) {
    communicator.say_once("TOCCATA_TOPOLOGY: reorder:topologies: " + std::string(error.what()) +
                          ". Keeping the order of the ranks.");
    return make(comm);
  }
  if (players == identity(communicator.size())) return make(comm);
  MPI_Comm bare = MPI_COMM_NULL;
  if (int code = reordered(comm, players, bare); code != MPI_SUCCESS) return code;
  MPI_Errhandler handler;
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    if (!our_mpi.hides_errhandler || handler != MPI_ERRORS_ARE_FATAL)
      PMPI_Comm_set_errhandler(bare, handler);
    PMPI_Errhandler_free(&handler);
  }
  const int code = make(bare);
  PMPI_Comm_free(&bare);
  return code;
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
    complaint = quoted(text) + ": other ranks have different or invalid values";
  communicator.say_once("info key toccata_cart_weights=" + complaint +
                        ". Using the same weight for all dimensions.");
  return {};
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

}  // namespace toccata
