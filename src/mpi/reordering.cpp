#include "mpi/reordering.h"

#include <array>

#include "algorithms/registry.h"
#include "mpi/communicator.h"
#include "topology/placements.h"

namespace toccata {

namespace {

// The value of a key; empty where there is none.
std::string value_of(MPI_Info info, const char* key) {
  std::array<char, 64> value{};
  int found = 0;
  PMPI_Info_get(info, const_cast<char*>(key), static_cast<int>(value.size()) - 1, value.data(),
                &found);
  return found != 0 ? std::string(value.data()) : std::string();
}

const Pattern& pattern_named(std::string_view name) {
  if (const Pattern* found = find_pattern(name)) return *found;
  std::string known;
  for (const Pattern& each : patterns())
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw ChoiceError("there is no pattern '" + std::string(name) + "'; known are " + known +
                    ", and algorithms, as allgather/bruck");
}

}  // namespace

void read_info(MPI_Info info, ReorderWish& wish) {
  if (info == MPI_INFO_NULL) return;
  if (const std::string how = value_of(info, "toccata_reorder"); !how.empty())
    wish.how = parse_reorder(how);
  if (const std::string pattern = value_of(info, "toccata_pattern"); !pattern.empty())
    wish.pattern = &pattern_named(pattern);
}

bool has_keys_of_ours(MPI_Info info) {
  return info != MPI_INFO_NULL && Settings::get().is_our_mpi() &&
         !(value_of(info, "toccata_reorder") + value_of(info, "toccata_pattern")).empty();
}

int reordered(MPI_Comm comm, std::string_view pattern, MPI_Comm& made) {
  Communicator* const communicator = Communicator::of(comm);
  int size = 0;
  PMPI_Comm_size(comm, &size);
  if (communicator == nullptr || communicator->is_inter())
    throw ChoiceError("ranks of an intercommunicator cannot be reordered");
  const auto placement = communicator->placement();
  std::vector<int> players;
  if (const std::size_t slash = pattern.find('/'); slash != pattern.npos) {
    const Collective* collective = find_collective(pattern.substr(0, slash));
    if (collective == nullptr) static_cast<void>(pattern_named(pattern));
    Shape known{.p = size};
    known.placement = placement;
    known.grid = grid_of(*placement);
    const Choice choice = parse_choice(*collective, pattern);
    const Shape shape = choice.in(known);
    const std::vector<Mapping> found = mappings_for(*choice.algorithm, shape);
    players = found.empty() ? identity(size) : found.front();
  } else {
    const Pattern& named = pattern_named(pattern);
    if (!named.is_possible(size))
      throw ChoiceError("pattern " + std::string(named.name) +
                        " needs a power of two ranks, here are " + std::to_string(size));
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
