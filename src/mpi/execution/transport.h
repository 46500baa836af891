#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/execution/mailbox.h"
#include "mpi/libraries/background.h"
#include "mpi/libraries/polling.h"
#include "node/board.h"

namespace toccata {

// The ranks of a communicator as ranks of another one.
class Translation {
 public:
  Translation() = default;
  explicit Translation(std::vector<int> ranks);

  int operator()(int rank) const { return table_.empty() ? first_ + rank * step_ : table_[rank]; }
  // The inverse translation; with a table, it searches all ranks.
  int inverse(int other) const {
    if (table_.empty()) return (other - first_) / step_;
    return static_cast<int>(std::ranges::find(table_, other) - table_.begin());
  }

 private:
  int first_ = 0, step_ = 1;  // if there is no table
  std::vector<int> table_;
};

// The route of one communicator's messages on a private communicator: the rank of a peer there, and
// the tags of its messages. A rank reserves a window, which is a range of tags, for messages to it
// from the ranks of one communicator. So only this rank has to ensure that none of its other
// communicators uses the window; the other ranks receive its number.
//
//   window_size 512, our window 3, that of peer 7 window 5:
//   tag t of a message to 7 is 5 * 512 + t, of one to us 3 * 512 + t
struct Route {
  MPI_Comm comm = MPI_COMM_NULL;  // errors return
  int p = 0;
  int rank = 0;  // ours, in the program's communicator
  Translation ranks = {};
  int window_size = 0;
  int window = 0;                           // ours; without windows, that of all ranks
  std::vector<std::uint16_t> windows = {};  // by rank
  Mailbox* mailbox = nullptr;               // where messages go if windows are only numbers
  node::Board* board = nullptr;             // where ranks of our node publish; may be null
  std::vector<int> board_ranks = {};        // by rank, -1: on another node
  bool spare_cores = true;                  // on our node
};

// All data between ranks passes through here. A peer is a rank as in the schedule; in a rotated
// schedule, peer i is rank (i + turn) mod p. All functions return MPI error codes.
class Transport {
 public:
  Transport() = default;
  Transport(const Route& route, int first_tag, int turn = 0)
      : route_(&route), first_tag_(first_tag), turn_(turn) {}

  // The same for a call that ranks of one node may serve through their memory. Such calls follow
  // each other in the same order on all ranks, so they have the same numbers there.
  // `times_paths`: whether the time of a round shows the faster path (node/publication_paths).
  static Transport with_board(const Route& route, int first_tag, int turn,
                              bool times_paths = true) {
    Transport result(route, first_tag, turn);
    result.board_ = route.board;
    result.times_paths_ = times_paths;
    if (route.board != nullptr) result.call_ = route.board->begin_call();
    return result;
  }

  MPI_Comm comm() const { return route_->comm; }

  // The board on which this call may publish; null without one.
  node::Board* board() const { return board_; }
  std::uint64_t call() const { return call_; }
  bool times_paths() const { return times_paths_; }
  int board_rank_of(int peer) const { return route_->board_ranks[turned(peer)]; }
  // Whether all ranks of the communicator are on the board.
  bool all_on_board() const { return board_ != nullptr && board_->ranks() == route_->p; }
  int turn() const { return turn_; }
  bool has_spare_cores() const { return route_->spare_cores; }

  // The rank of a peer on the private communicator.
  int address_of(int peer) const { return route_->ranks(turned(peer)); }
  int send_tag(int peer, int tag) const {
    return window_of(peer) * route_->window_size + first_tag_ + tag;
  }
  int recv_tag(int tag) const { return route_->window * route_->window_size + first_tag_ + tag; }

  int isend(const void* data, int count, MPI_Datatype type, int peer, int tag,
            MPI_Request& request) const {
    if (route_->mailbox != nullptr)
      return route_->mailbox->isend(data, count, type, address_of(peer), window_of(peer),
                                    first_tag_ + tag, request);
    return PMPI_Isend(data, count, type, address_of(peer), send_tag(peer, tag), comm(), &request);
  }
  int irecv(void* data, int count, MPI_Datatype type, int peer, int tag,
            MPI_Request& request) const {
    if (route_->mailbox != nullptr)
      return route_->mailbox->irecv(data, count, type, address_of(peer), route_->window,
                                    first_tag_ + tag, request);
    return PMPI_Irecv(data, count, type, address_of(peer), recv_tag(tag), comm(), &request);
  }
  // Waits. Addresses and tags are those of the functions above.
  static int exchange(const void* data, int count, MPI_Datatype type, int to, int tag, void* into,
                      int into_count, MPI_Datatype into_type, int from, int into_tag,
                      MPI_Comm comm) {
    return PMPI_Sendrecv(data, count, type, to, tag, into, into_count, into_type, from, into_tag,
                         comm, MPI_STATUS_IGNORE);
  }
  // Ends when the receiver has begun to receive.
  int issend(const void* data, int count, MPI_Datatype type, int peer, int tag,
             MPI_Request& request) const {
    return PMPI_Issend(data, count, type, address_of(peer), send_tag(peer, tag), comm(), &request);
  }
  // Whether a message has arrived, from `peer` or from any rank. If so, only we can receive it;
  // `peer` and `bytes` become its source and size.
  static constexpr int any = -1;
  int probe(int& peer, int tag, bool& found, std::int64_t& bytes, MPI_Message& message) const {
    MPI_Status status;
    int flag = 0;
    const int code = PMPI_Improbe(peer == any ? MPI_ANY_SOURCE : address_of(peer), recv_tag(tag),
                                  comm(), &flag, &message, &status);
    found = code == MPI_SUCCESS && flag != 0;
    if (!found) return code;
    peer = route_->ranks.inverse(status.MPI_SOURCE) - turn_;
    if (peer < 0) peer += route_->p;
    MPI_Count elements = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &elements);
    bytes = elements;
    return MPI_SUCCESS;
  }
  static int send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return PMPI_Send(data, count, type, to, tag, comm);
  }
  static int recv(void* into, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
    return PMPI_Recv(into, count, type, from, tag, comm, MPI_STATUS_IGNORE);
  }
  // Copies data on this rank from one datatype to another of the same signature.
  int to_self(const void* from, MPI_Datatype from_type, void* into, MPI_Datatype into_type) const {
    const int self = route_->ranks(route_->rank);
    const int tag = route_->mailbox != nullptr ? route_->mailbox->spare_tag() : recv_tag(0);
    return PMPI_Sendrecv(from, 1, from_type, self, tag, into, 1, into_type, self, tag, comm(),
                         MPI_STATUS_IGNORE);
  }
  // Waits for one request at a time: MPICH raises errors of MPI_Waitall and MPI_Testall outside the
  // communicator, where they are fatal.
  static int wait(MPI_Request& request) { return PMPI_Wait(&request, MPI_STATUS_IGNORE); }
  // Advances other open collectives meanwhile, because other ranks may first wait for these.
  static int wait(MPI_Request& request, Background& background);
  static int test(MPI_Request& request, bool& ended) { return Polling::test(request, ended); }
  // For messages that will not arrive, and for sent ones whose end no call awaits.
  static void cancel(MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  static void abandon(MPI_Request& request) {
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }

 private:
  int window_of(int peer) const {
    return route_->windows.empty() ? route_->window : route_->windows[turned(peer)];
  }
  int turned(int peer) const {
    const int rank = peer + turn_;
    return rank >= route_->p ? rank - route_->p : rank;
  }

  const Route* route_ = nullptr;
  int first_tag_ = 0;
  int turn_ = 0;
  node::Board* board_ = nullptr;
  bool times_paths_ = true;
  std::uint64_t call_ = 0;
};

}  // namespace toccata
