#include "mpi/agreement/node_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <sched.h>
#include <unistd.h>
#include <utility>

#include "mpi/agreement/group.h"
#include "mpi/agreement/roll_call.h"
#include "mpi/settings/family.h"
#include "node/direct_reading.h"

namespace toccata {

namespace {

constexpr std::size_t memory_per_rank = 256 << 10;  // bytes
// Below this limit, a system call takes longer than two copies.
constexpr std::int64_t least_direct = 4 << 10;  // bytes
constexpr int parts_per_rank = static_cast<int>(memory_per_rank / node::Part::bytes);

// The launcher knows the ranks of this node; otherwise, all ranks have to exchange messages.
MPI_Comm communicator_of_node(MPI_Comm world, int world_rank) {
  MPI_Comm made = MPI_COMM_NULL;
  const std::vector<int> ranks =
      RollCall::is_possible() ? RollCall::ranks_on_node() : std::vector<int>();
  if (std::ranges::binary_search(ranks, world_rank)) {
    const Group all(world), of_node(all, ranks);
    PMPI_Comm_create_group(world, of_node, 0, &made);
  } else {
    PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &made);
  }
  return made;
}

}  // namespace

void NodeMemory::open(MPI_Comm world, Settings::Node permitted) {
  if (permitted == Settings::Node::off) return;
  int world_rank = 0, ranks = 0;
  PMPI_Comm_rank(world, &world_rank);
  MPI_Comm node_comm = communicator_of_node(world, world_rank);
  if (node_comm == MPI_COMM_NULL) return;
  PMPI_Comm_rank(node_comm, &place_);
  PMPI_Comm_size(node_comm, &ranks);
  std::vector<int> members(ranks);
  if (PMPI_Allgather(&world_rank, 1, MPI_INT, members.data(), 1, MPI_INT, node_comm) == MPI_SUCCESS)
    lowest_rank_ = members.front();
  if (ranks <= node::Board::most_ranks && share(node_comm, place_, ranks)) {
    members_ = std::move(members);
    count_cores(node_comm, ranks);
    native_ = native_mpi_of(library_text());
    if (permitted >= Settings::Node::copies)
      try_direct_reading(node_comm, ranks, permitted == Settings::Node::automatic);
    states_.resize(parts_per_rank);
  }
  PMPI_Comm_free(&node_comm);
}

// Ranks on one node may be unable to share memory, for example in containers. So all ranks try.
bool NodeMemory::share(MPI_Comm node_comm, int place, int ranks) {
  struct Invitation {
    char path[64] = "";
    std::uint64_t nonce = 0;
  } invitation;
  if (place == 0) {
    std::random_device random;
    invitation.nonce = std::uint64_t{random()} << 32 | random();
    const std::string path = segment_.create(ranks, parts_per_rank, invitation.nonce);
    path.copy(invitation.path, sizeof invitation.path - 1);
  }
  PMPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, node_comm);
  const bool opened =
      place == 0 ? segment_.is_open()
                 : invitation.path[0] != '\0' &&
                       segment_.open(invitation.path, ranks, parts_per_rank, invitation.nonce);
  const int here = opened && lowest_rank_ >= 0 ? 1 : 0;
  int everywhere = 0;
  PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, node_comm);
  if (everywhere != 0) return true;
  if (!opened)
    why_not_ = invitation.path[0] == '\0'
                   ? "this system provides no shared memory (memfd_create)"
                   : "the memory of another rank of this node cannot be opened (" +
                         std::string(invitation.path) + ")";
  return false;
}

// The number of cores that any rank of the node may use. Counts only the first 1024 cores.
void NodeMemory::count_cores(MPI_Comm node_comm, int ranks) {
  std::array<std::uint64_t, 1024 / 64> mine{}, all{};
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    std::memcpy(mine.data(), &allowed, std::min(sizeof mine, sizeof allowed));
  PMPI_Allreduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_UINT64_T, MPI_BOR,
                 node_comm);
  int cores = 0;
  for (const std::uint64_t each : all) cores += std::popcount(each);
  spare_cores_ = cores >= ranks;
}

// Containers, seccomp or Yama may forbid direct reading, and no query reports that. So every rank
// reads a random number from every other rank. This also shows that it has found the right process.
void NodeMemory::try_direct_reading(MPI_Comm node_comm, int ranks, bool may_map) {
  std::unique_ptr<node::Xpmem> xpmem;
  if (may_map)
    if (const auto library = node::XpmemLibrary::load())
      xpmem = std::make_unique<node::Xpmem>(*library);
  struct Sample {
    int process;
    const std::uint64_t* address;
    std::uint64_t value;
    std::int64_t segment;
  };
  std::random_device random;
  const std::uint64_t own = std::uint64_t{random()} << 32 | random();
  const Sample mine{getpid(), &own, own, xpmem != nullptr ? xpmem->segment() : -1};
  std::vector<Sample> all(ranks);
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node_comm);
  std::vector<int> processes;
  std::vector<std::int64_t> segments;
  for (const Sample& each : all) {
    processes.push_back(each.process);
    segments.push_back(each.segment);
  }
  if (xpmem != nullptr) xpmem->meet(segments);
  std::array<int, 2> here{1, xpmem != nullptr ? 1 : 0}, everywhere{};
  auto& [copies, maps] = here;
  for (int place = 0; place < ranks; ++place) {
    const Sample& each = all[place];
    const auto* const address = reinterpret_cast<const char*>(each.address);
    std::uint64_t found = 0;
    if (!node::read_of_process(each.process, address, reinterpret_cast<char*>(&found),
                               sizeof found) ||
        found != each.value)
      copies = 0;
    if (place == place_ || maps == 0) continue;
    const auto mapped = xpmem->map(place, address, sizeof found);
    if (mapped == nullptr || std::memcmp(mapped.get(), &each.value, sizeof found) != 0) maps = 0;
  }
  // Each rank stays until the others have read its number.
  PMPI_Allreduce(here.data(), everywhere.data(), 2, MPI_INT, MPI_MIN, node_comm);
  if (everywhere[0] == 0) processes.clear();
  if (everywhere[1] == 0) xpmem.reset();
  if (!processes.empty() || xpmem != nullptr)
    peers_ = std::make_unique<node::ProcessMemory>(std::move(processes), std::move(xpmem));
}

node::DirectReading NodeMemory::direct_reading(std::span<const int> places) const {
  node::DirectReading result;
  if (!reads_directly()) return result;
  result.peers.assign(places.begin(), places.end());
  result.memory = peers_.get();
  result.least = least_direct;
  return result;
}

std::string NodeMemory::describe() const {
  if (!is_open())
    return why_not_.empty() ? "ranks use messages" : "ranks use messages: " + why_not_;
  const std::string shared = "ranks share memory";
  if (!reads_directly()) return shared + ", and cannot read each other's own memory";
  return shared + ", and read long blocks from each other's own memory: " +
         (peers_->maps() ? "in place (XPMEM)" : "by one copy (process_vm_readv)");
}

int NodeMemory::place(int world_rank) const {
  const auto found = std::ranges::lower_bound(members_, world_rank);
  return found != members_.end() && *found == world_rank
             ? static_cast<int>(found - members_.begin())
             : -1;
}

node::PartState* NodeMemory::reserve(int number) {
  if (!is_open() || number < 0 || number >= parts_per_rank) return nullptr;
  node::PartState& state = states_[number];
  if (state.part == nullptr && segment_.reserve(place_, number))
    state.part = segment_.part(place_, number);
  return state.part != nullptr ? &state : nullptr;
}

}  // namespace toccata
