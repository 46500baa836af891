#include "mpi/agreement/node_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <random>
#include <sched.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "mpi/agreement/exchange.h"
#include "mpi/agreement/hydra_answers.h"
#include "mpi/agreement/pmix_answers.h"
#include "mpi/libraries/library.h"
#include "mpi/world/group.h"
#include "node/direct_reading.h"

namespace toccata {

namespace {

// Programs often have about ten communicators. A part takes memory only once it is used.
constexpr int parts_per_rank = 16;
// Below this limit, a system call takes longer than two copies.
constexpr std::int64_t least_direct = 4 << 10;  // bytes

// The ranks of this node, ascending; empty if the launcher does not tell.
std::vector<int> ranks_on_node() {
  return PmixAnswers::are_distributed() ? PmixAnswers::ranks_on_node()
                                        : HydraAnswers::ranks_on_node();
}

// Of these ranks: `world` itself if it has no others. If the launcher does not tell them, all ranks
// have to exchange messages.
MPI_Comm communicator_of_node(MPI_Comm world, int world_rank, const std::vector<int>& ranks) {
  MPI_Comm made = MPI_COMM_NULL;
  int p = 0;
  PMPI_Comm_size(world, &p);
  if (std::ranges::binary_search(ranks, world_rank) && ranks.back() < p) {
    if (static_cast<int>(ranks.size()) == p) return world;
    const Group all(world), of_node(all, ranks);
    PMPI_Comm_create_group(world, of_node, 0, &made);
  } else {
    PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &made);
  }
  if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

// Where ranks in blocking calls release a core that they share. Open MPI's nonblocking allgather
// sends p - 1 messages per rank.
constexpr bool waits_in_blocking_calls = our_mpi.releases_cores;

struct Idle final : Background {
  int progress() override { return 0; }
};

}  // namespace

// What a rank tells the other ranks of its node.
struct NodeMemory::Card {
  int world_rank;
  int process;
  std::uint64_t number;                             // random
  const std::uint64_t* address;                     // of that number, in the memory of this rank
  std::int64_t segment = -1;                        // of this rank's memory, in XPMEM
  std::array<std::uint64_t, 1024 / 64> cores = {};  // that it may use, of the first 1024
  char path[64] = "";  // of the shared memory, which the first rank creates; empty if it cannot
};

namespace {

std::uint64_t random_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

// All ranks of a node try each way to reach each other's memory, because containers, seccomp or
// Yama may forbid it, and no query reports that. They read the random number of each rank, which
// also shows that they have found the right process.
void NodeMemory::open(MPI_Comm world, Settings::Node permitted) {
  permitted_ = permitted;
  const std::vector<int> told = ranks_on_node();
  if (!told.empty()) lowest_rank_ = told.front();
  if (permitted == Settings::Node::off) return;
  int world_rank = 0, ranks = 0;
  PMPI_Comm_rank(world, &world_rank);
  MPI_Comm node_comm = communicator_of_node(world, world_rank, told);
  if (node_comm == MPI_COMM_NULL) return;
  PMPI_Comm_rank(node_comm, &place_);
  PMPI_Comm_size(node_comm, &ranks);
  const bool may_share = ranks <= node::Board::most_ranks;
  std::unique_ptr<node::Xpmem> xpmem;
  if (may_share && permitted == Settings::Node::xpmem)
    if (const auto library = node::XpmemLibrary::load())
      xpmem = std::make_unique<node::Xpmem>(*library);

  const std::uint64_t number = random_number();
  Card mine{.world_rank = world_rank, .process = getpid(), .number = number, .address = &number};
  if (xpmem != nullptr) mine.segment = xpmem->segment();
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    std::memcpy(mine.cores.data(), &allowed, std::min(sizeof mine.cores, sizeof allowed));
  if (may_share && place_ == 0)
    segment_.create(ranks, parts_per_rank, number).copy(mine.path, sizeof mine.path - 1);
  std::vector<Card> all(ranks);
  Idle idle;
  Exchange exchange(node_comm, idle, waits_in_blocking_calls);
  const bool met = exchange.allgather(&mine, sizeof mine, MPI_BYTE, all.data()) == MPI_SUCCESS;
  if (met) lowest_rank_ = all.front().world_rank;
  if (may_share) {
    // Each rank's number stays until the others have read it.
    std::array<std::uint64_t, 3> cannot{1, 1, 1}, some_cannot{1, 1, 1};
    if (met)
      cannot = {!share(all), permitted < Settings::Node::automatic || !can_copy(all),
                xpmem == nullptr || !can_map(all, *xpmem)};
    exchange.agree<std::uint64_t>(cannot, some_cannot);
    const auto [not_shared, not_copied, not_mapped] = some_cannot;
    if (not_shared == 0)
      keep(all, not_copied == 0, not_mapped == 0 ? std::move(xpmem) : nullptr);
    else
      why_not_ = *all.front().path == '\0'
                     ? "this system provides no shared memory (memfd_create), or the limit of the "
                       "sizes of files is too low (ulimit -f)"
                     : "a rank cannot open the memory of the first rank (" +
                           std::string(all.front().path) + ")";
  } else {
    why_not_ = "the node has more than " + std::to_string(node::Board::most_ranks) + " ranks";
  }
  if (node_comm != world) PMPI_Comm_free(&node_comm);
}

bool NodeMemory::share(std::span<const Card> all) {
  const Card& first = all.front();
  if (place_ == 0) return segment_.is_open();
  return *first.path != '\0' &&
         segment_.open(first.path, static_cast<int>(all.size()), parts_per_rank, first.number);
}

bool NodeMemory::can_copy(std::span<const Card> all) {
  return std::ranges::all_of(all, [](const Card& each) {
    std::uint64_t found = 0;
    return node::read_of_process(each.process, reinterpret_cast<const char*>(each.address),
                                 reinterpret_cast<char*>(&found), sizeof found) &&
           found == each.number;
  });
}

bool NodeMemory::can_map(std::span<const Card> all, node::Xpmem& xpmem) const {
  std::vector<std::int64_t> segments;
  for (const Card& each : all) segments.push_back(each.segment);
  xpmem.meet(segments);
  for (int place = 0; place < static_cast<int>(all.size()); ++place) {
    if (place == place_) continue;
    const auto mapped = xpmem.map(place, reinterpret_cast<const char*>(all[place].address),
                                  sizeof all[place].number);
    if (mapped == nullptr ||
        std::memcmp(mapped.get(), &all[place].number, sizeof all[place].number) != 0)
      return false;
  }
  xpmem.forget();  // the numbers are on stacks that end soon
  return true;
}

void NodeMemory::keep(std::span<const Card> all, bool copies, std::unique_ptr<node::Xpmem> xpmem) {
  std::vector<int> processes;
  std::array<std::uint64_t, std::tuple_size_v<decltype(Card::cores)>> cores{};
  for (const Card& each : all) {
    members_.push_back(each.world_rank);
    if (copies) processes.push_back(each.process);
    std::ranges::transform(cores, each.cores, cores.begin(), std::bit_or{});
  }
  int number = 0;
  for (const std::uint64_t each : cores) number += std::popcount(each);
  spare_cores_ = number >= static_cast<int>(all.size());
  if (copies || xpmem != nullptr)
    peers_ = std::make_unique<node::ProcessMemory>(std::move(processes), std::move(xpmem));
  states_.resize(parts_per_rank);
}

node::DirectReading NodeMemory::direct_reading(std::span<const int> places) const {
  node::DirectReading result;
  if (!reads_directly()) return result;
  result.peers.assign(places.begin(), places.end());
  result.memory = peers_.get();
  result.least = least_direct;
  // The publisher of a direct message waits for all readers. That takes several turns of ranks that
  // share cores, and the times of a few messages tell little about it.
  if (!spare_cores_) {
    result.most_in_slot = node::Part::large;
    result.least_reduced = 256 << 10;
  }
  return result;
}

std::string NodeMemory::describe() const {
  if (permitted_ == Settings::Node::off) return "ranks use messages, because of TOCCATA_NODE=off";
  if (!is_open())
    return why_not_.empty() ? "ranks use messages" : "ranks use messages: " + why_not_;
  const std::string shared = "ranks share memory";
  if (permitted_ == Settings::Node::segment) return shared + " (TOCCATA_NODE=segment)";
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
  if (!is_open() || number < 0 || number >= parts()) return nullptr;
  node::PartState& state = states_[number];
  const bool large = number == 0 && has_large_part();
  if (state.part == nullptr)
    state.part = segment_.reserve(place_, number, large ? node::Part::large : node::Part::usual);
  return state.part != nullptr ? &state : nullptr;
}

}  // namespace toccata
