#include "recording/recorder.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "topology/error.h"
#include "topology/hwloc.h"

namespace toccata::recording {

namespace {

MPI_Group group_of(Space space) {
  MPI_Group group = MPI_GROUP_NULL;
  if (space.win != MPI_WIN_NULL)
    PMPI_Win_get_group(space.win, &group);
  else
    PMPI_Comm_group(space.comm, &group);
  return group;
}

// A rank of a communicator or window in MPI_COMM_WORLD; negative for ranks of other worlds.
int rank_in_world(Space space, int rank) {
  int between = 0;
  if (space.comm == MPI_COMM_WORLD) return rank;
  if (space.win == MPI_WIN_NULL) PMPI_Comm_test_inter(space.comm, &between);
  if (between != 0) return -1;
  MPI_Group group = group_of(space), world = group_of(in_comm(MPI_COMM_WORLD));
  int found = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group, 1, &rank, world, &found);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return found == MPI_UNDEFINED ? -1 : found;
}

Whereabouts own_whereabouts(int rank) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(host, &length);
  Whereabouts own;
  own.node = node_of(host);
  own.world = rank;
  try {
    const NodeTopology node = NodeTopology::here();
    own.settle(node.machine(), node.binding());
  } catch (const TopologyError&) {  // then only its node is known
  }
  return own;
}

}  // namespace

Recorder::Recorder(std::string file, int rank)
    : file_(std::move(file)), rank_(rank), own_(own_whereabouts(rank)) {}

Recorder* Recorder::make() noexcept {
  const char* const file = std::getenv("TOCCATA_RECORD");
  int initialized = 0, rank = 0;
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Initialized(&initialized);
  if (file == nullptr || *file == '\0' || initialized == 0) return nullptr;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return nullptr;  // spawned, so in another world
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    // The program may change its working directory before the end.
    return new Recorder(std::filesystem::absolute(file).string(), rank);
  } catch (const std::exception&) {
    return nullptr;
  }
}

Recorder* Recorder::get() noexcept {
  static Recorder* const made = make();
  return made;
}

Recorder::Peers& Recorder::peers_in(Space space) {
  return space.win != MPI_WIN_NULL ? wins_[key_of(space.win)] : in(space.comm).peers;
}

Recorder::InComm& Recorder::in(MPI_Comm comm) {
  if (in_last_comm_ == nullptr || last_comm_ != key_of(comm)) {
    in_last_comm_ = &comms_[key_of(comm)];
    last_comm_ = key_of(comm);
  }
  return *in_last_comm_;
}

Recorder::Entry& Recorder::find(Kind kind, Space space, int peer, bool incoming, int phase) {
  const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(peer)} << 8 |
                            static_cast<std::uint64_t>(phase) << 3 |
                            static_cast<std::uint64_t>(kind) << 1 | (incoming ? 1u : 0u);
  Entry*& found = peers_in(space)[key];
  if (found == nullptr) {
    const Peer in_world{rank_in_world(space, peer), kind, incoming,
                        static_cast<std::uint8_t>(phase)};
    found = in_world.rank < 0 ? &outside_ : &*counters_.try_emplace(in_world).first;
  }
  return *found;
}

Recorder::Entry& Recorder::entry_in(int phase, Entry& entry) {
  Peer there = entry.first;
  if (there.rank < 0 || there.phase == phase) return entry;
  there.phase = static_cast<std::uint8_t>(phase);
  return *counters_.try_emplace(there).first;
}

void Recorder::count(Kind kind, Space space, int peer, std::uint64_t bytes, bool incoming) {
  const int phase = phases_.now();
  if (phase == Phases::paused) return;
  const Lock lock(busy_);
  Counter& counter = find(kind, space, peer, incoming, phase).second;
  ++counter.messages;
  counter.bytes += bytes;
}

void Recorder::keep(MPI_Request request, Kind kind, Space space, int peer, std::uint64_t bytes) {
  const Lock lock(busy_);
  Entry& entry = find(kind, space, peer, false, std::max(0, phases_.now()));
  requests_[key_of(request)].push_back({&entry, nullptr, {}, bytes});
}

Member Recorder::member(MPI_Comm comm) {
  const Lock lock(busy_);
  InComm& found = in(comm);
  if (!found.is_known) {
    int between = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between == 0) {
      PMPI_Comm_rank(comm, &found.own.rank);
      PMPI_Comm_size(comm, &found.own.size);
      if (found.own.rank == 0) found.own.group = calls_.group_of(comm);
    }
    found.is_known = true;
  }
  return found.own;
}

void Recorder::count(const Member& zero, const Call& call, std::uint64_t bytes) {
  const int phase = phases_.now();
  if (phase == Phases::paused) return;
  const Lock lock(busy_);
  Counter& counter = calls_.counter(zero.group, call, bytes, phase);
  ++counter.messages;
  counter.bytes += bytes;
}

void Recorder::keep(MPI_Request request, const Member& zero, const Call& call,
                    std::uint64_t bytes) {
  const Lock lock(busy_);
  requests_[key_of(request)].push_back({nullptr, zero.group, call, bytes});
}

Counter& Recorder::counter_of(Started& started, int phase) {
  if (started.entry == nullptr)
    return calls_.counter(started.group, started.call, started.bytes, phase);
  started.entry = &entry_in(phase, *started.entry);
  return started.entry->second;
}

void Recorder::start(MPI_Request request) {
  const int phase = phases_.now();
  if (phase == Phases::paused) return;
  const Lock lock(busy_);
  const auto found = requests_.find(key_of(request));
  if (found == requests_.end()) return;
  for (Started& each : found->second) {
    Counter& counter = counter_of(each, phase);
    ++counter.messages;
    counter.bytes += each.bytes;
  }
}

void Recorder::forget(MPI_Request request) {
  const Lock lock(busy_);
  requests_.erase(key_of(request));
}

void Recorder::forget(Space space) {
  const Lock lock(busy_);
  if (space.win != MPI_WIN_NULL) {
    wins_.erase(key_of(space.win));
  } else {
    comms_.erase(key_of(space.comm));
    in_last_comm_ = nullptr;
  }
}

}  // namespace toccata::recording
