#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/agreement/private_world.h"
#include "mpi/execution/transport.h"

namespace toccata {

// What each rank sends at a communicator's first collective. All ranks must have the same settings.
struct Stance {
  std::uint64_t settings = 0;  // digest of the settings that must be equal on all ranks
  bool knows_places = false;   // the locations of the ranks of MPI_COMM_WORLD
};

// Connects the ranks of one communicator of the program, without using its own messages. If all
// ranks are in our world, they use a window of tags on its private communicator:
//
//   new ──start()──▶ agreeing ──test()──▶ ready       windows on the private world
//                        │                  ▲
//                        ├─ no such world, ─┘         a communicator of its own
//                        │  no tags left
//                        └─ settings differ, no communicator can be made,
//                           or the exchange fails ──▶ refused
//
// This costs one collective on the program's own communicator, in which ranks exchange their
// requests and their free windows; a second one distributes the windows if they differ.
class Channel {
 public:
  // `separate`: for a single persistent call.
  Channel(PrivateWorld& world, MPI_Comm user, const Stance& stance, bool separate = false);
  ~Channel() { close(); }
  // Releases everything when MPI is about to end; the channel must not be used afterwards.
  void close();
  // Call this instead if our world has ended.
  void forget() {
    window_ = -1;
    has_part_of_requests_ = false;
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // These functions return MPI error codes. All ranks call them in the same order. After an error,
  // for example on a revoked communicator, the channel is refused on this rank, although it may be
  // ready on others.
  // Starts the exchange. `at_once`: the communicator may be freed before the exchange ends. A
  // channel that `never_waits` creates no communicator of its own, because ranks would have to wait
  // for that; it is refused instead, although it carries the calls that ranks have begun meanwhile.
  // `blocking`: see Exchange.
  int start(bool at_once, bool never_waits = false, bool blocking = false);
  // Advances as far as possible without waiting.
  int test();
  bool is_new() const { return state_ == State::fresh; }
  bool is_settled() const { return state_ == State::ready || state_ == State::refused; }
  bool is_ready() const { return state_ == State::ready; }
  // Whether a settled channel serves the nonblocking calls that began before ranks knew its state.
  bool carries_begun_calls() const { return is_ready() || mailbox() != nullptr; }
  // Where such calls send if the channel is refused, because a rank has no tags left.
  Mailbox* mailbox() const { return is_settled() ? route_.mailbox : nullptr; }
  // Why native serves, as the end of a sentence, on at least one rank; empty if other channels do.
  const std::string& why_refused() const { return why_refused_; }

  const Route& route() const { return route_; }
  bool all_know_places() const { return all_know_places_; }
  // Whether every rank has a part of its node's memory, so that ranks of a node can publish blocks.
  bool all_share_memory() const { return all_share_memory_; }
  bool is_within_world() const { return within_world_; }

  // A collective has failed: messages that no rank receives may be in flight. So our window must
  // not be used again.
  void spoil() { spoilt_ = true; }

  // This thread is in test(); MPI may report from there that the communicator was freed.
  bool is_tested_here() const { return tester_ == std::this_thread::get_id(); }

  // The first of a collective's tags, the same on every rank. Blocking calls follow each other in
  // the same order on every rank, so they share the same tags, which is the fastest way in MPI.
  // Nonblocking calls overlap, so they take tags in turn. When all tags have been used, a new lap
  // begins: a new call must then wait for the calls of earlier laps (see laps). In the smallest
  // window, requests have as many tags as a blocking call.
  static constexpr int blocking_tag = 0, blocking_tags = 125;
  // The tags of sparse exchanges, in which a rank receives messages of a tag from any rank. Two
  // tags alternate. While one rank is still in an exchange, another may begin the next one, but not
  // the one after that. Messages inside a node have known sources, and use the third tag.
  static constexpr int sparse_tag = blocking_tag + blocking_tags, sparse_tags = 3;
  static constexpr int local_sparse_tag = sparse_tag + 2;
  int next_sparse_tag() { return sparse_tag + static_cast<int>(sparse_exchanges_++ % 2); }
  struct Ticket {
    int tag = 0;
    int lap = 0;
    std::optional<std::uint32_t> turn = {};  // among the nonblocking calls that publish
  };
  Ticket take_tags(int tags);
  // A persistent call keeps its tags, because calls may be started in any order. Returns -1 if no
  // tags are left; this happens at the same call on every rank.
  int take_persistent_tags(int tags);
  // Register the start and the end of a nonblocking call. The third function returns whether it may
  // begin: the calls of earlier laps have ended, and if it publishes, all earlier ones that
  // publish.
  void enter(Ticket& ticket, bool publishes);
  void leave(const Ticket& ticket);
  bool may_begin(const Ticket& ticket);
  // Whether nonblocking calls that publish are open. A board needs one order of calls, so blocking
  // calls that publish wait for them.
  bool has_open_publications() const {
    return ended_publications_.load(std::memory_order_acquire) != publications_;
  }

 private:
  enum class State : std::uint8_t { fresh, agreeing, spreading, ready, refused };
  // The exchanged words. Ranks find the maximum of each.
  enum Word {
    window,
    window_complement,
    lacks_world,
    lacks_tags,
    settings,
    settings_complement,
    lacks_places,
    lacks_part,
    calls,
    words
  };

  bool may_use_mailbox() const {
    return never_waits_ && !separate_ && world_.is_open() && within_world_;
  }
  int agree(bool at_once);
  int checked(int code);
  int spread();
  int advance();
  int evaluate();
  int duplicate();
  void settle();
  void make_board(std::uint64_t first_call);
  void refuse(std::string why);

  PrivateWorld& world_;
  MPI_Comm user_;
  Stance stance_;
  std::atomic<State> state_ = State::fresh;
  std::atomic<std::thread::id> tester_ = {};  // the thread in test()
  std::atomic<bool> spoilt_ = false;
  bool within_world_ = false;
  bool all_know_places_ = false;
  bool all_share_memory_ = false;
  bool never_waits_ = false, blocking_ = false;
  bool separate_;
  bool has_part_of_requests_ = false;
  Route route_;
  MPI_Comm own_ = MPI_COMM_NULL;  // if there are no windows
  int window_ = -1;
  node::PartState* part_ = nullptr;  // of the node's memory; null without
  std::unique_ptr<node::Board> board_;
  std::string why_refused_;

  // The state during the agreement.
  struct Agreement {
    std::array<std::uint64_t, words> mine, largest;
    std::uint16_t window;
    std::vector<std::uint16_t> windows;
    MPI_Request words_request = MPI_REQUEST_NULL, windows_request = MPI_REQUEST_NULL;
  };
  std::unique_ptr<Agreement> agreement_;

  static constexpr int first_tag_of_requests = sparse_tag + sparse_tags;
  int next_tag_ = first_tag_of_requests, end_of_tags_ = 0, lap_ = 0;
  unsigned sparse_exchanges_ = 0;
  int next_persistent_tag_ = 0, end_of_persistent_tags_ = 0;
  std::mutex mutex_;              // guards under_way_ and the turns
  std::map<int, int> under_way_;  // by lap
  // Of the nonblocking calls that publish. Both wrap round, because a communicator lives long.
  std::uint32_t publications_ = 0;
  std::atomic<std::uint32_t> ended_publications_ = 0;
};

}  // namespace toccata
