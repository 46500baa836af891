#include "mpi/communicator/reordering.h"

#include "choices/ranking.h"
#include "mpi/communicator/communicator.h"
#include "topology/placements.h"
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

}  // namespace toccata
