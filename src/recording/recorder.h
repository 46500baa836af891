#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recording/calls.h"
#include "recording/lock.h"
#include "recording/phases.h"
#include "topology/whereabouts.h"

namespace toccata::recording {

enum class Kind : std::uint8_t { point_to_point, neighborhood, one_sided, collective };

// A handle as the key of a table: a pointer in some MPIs, an integer in others.
using Key = std::uintptr_t;
template <typename Handle>
Key key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Key>(handle);
  else
    return static_cast<Key>(handle);
}

// The communicator or window in which a call names a rank.
struct Space {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
};
inline Space in_comm(MPI_Comm comm) { return {.comm = comm}; }
inline Space in_window(MPI_Win win) { return {.win = win}; }

// This rank in a communicator, as far as collectives need it.
struct Member {
  int rank = -1, size = 0;        // -1 and 0 in an intercommunicator
  Calls::Group* group = nullptr;  // only on rank 0, and only if its calls can be counted
};

// The messages and bytes between this rank and others, by ranks of MPI_COMM_WORLD, and the calls of
// collectives. The memory grows with the number of peers, not with the number of ranks.
class Recorder {
 public:
  // Null if nothing is recorded: without TOCCATA_RECORD, and without MPI_Init.
  static Recorder* get() noexcept;

  // `incoming`: from the peer to this rank, as by MPI_Get.
  void count(Kind kind, Space space, int peer, std::uint64_t bytes, bool incoming = false);
  // The same, but the flow counts at each start of a persistent request.
  void keep(MPI_Request request, Kind kind, Space space, int peer, std::uint64_t bytes);
  void start(MPI_Request request);

  // Rank 0 of a communicator counts its calls of collectives; the others only find out their rank.
  Member member(MPI_Comm comm);
  void count(const Member& zero, const Call& call, std::uint64_t bytes);
  void keep(MPI_Request request, const Member& zero, const Call& call, std::uint64_t bytes);

  // By MPI_Pcontrol.
  static void enter_phase(int number) { phases_.enter(number); }

  // Handles may return after these.
  void forget(MPI_Request request);
  void forget(Space space);

  // Writes the counts of all ranks to the file. Collective over MPI_COMM_WORLD.
  void write();

 private:
  struct Peer {
    std::int32_t rank;  // negative in other worlds
    Kind kind;
    bool incoming;
    std::uint8_t phase;
    auto operator<=>(const Peer&) const = default;
  };
  using Entry = std::pair<const Peer, Counter>;
  using Peers = std::unordered_map<std::uint64_t, Entry*>;
  struct InComm {
    Peers peers;
    Member own;
    bool is_known = false;  // own
  };
  // What each start of a persistent request counts: messages to a rank, or a call.
  struct Started {
    Entry* entry;  // null for a call
    Calls::Group* group;
    Call call;
    std::uint64_t bytes;
  };

  Recorder(std::string file, int rank);
  static Recorder* make() noexcept;
  Entry& find(Kind kind, Space space, int peer, bool incoming, int phase);
  Entry& entry_in(int phase, Entry& entry);
  Counter& counter_of(Started& started, int phase);
  Peers& peers_in(Space space);
  InComm& in(MPI_Comm comm);

  std::string file_;
  int rank_;
  Whereabouts own_;  // as the launcher has bound this rank
  std::atomic_flag busy_;
  static inline Phases phases_;
  std::map<Peer, Counter> counters_;
  Entry outside_{{-1, Kind::point_to_point, false, 0}, {}};  // to ranks of other worlds
  Calls calls_;
  // By handle: the entries of the ranks to which this rank has sent there.
  std::unordered_map<Key, InComm> comms_;
  std::unordered_map<Key, Peers> wins_;
  Key last_comm_ = 0;
  InComm* in_last_comm_ = nullptr;
  std::unordered_map<Key, std::vector<Started>> requests_;
};

}  // namespace toccata::recording
