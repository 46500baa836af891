#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "mpi/data/datatype.h"

namespace toccata {

// The messages of communicators for which no window of tags was left. They share a few tags, so
// each message has a head with its number of the window and its tag. The receiver stores the
// message, and then sends it to itself, so that the receive of the call is an ordinary request:
//
//   sender    head ──▶ a receive of the next head, which is always open
//             body ──▶ memory ──▶ own message ──▶ receive of the call
//
// MPI keeps the order of messages between two ranks, so bodies arrive in the order of their heads.
// No message has to wait for another one: a rank takes every body, even if its receive comes later.
class Mailbox {
 public:
  static constexpr int tags = 3;

  // Uses these tags on `comm`, on which errors return. Local.
  Mailbox(MPI_Comm comm, int first_tag);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Only the visitor may use the mailbox. MPI may call us in the middle of a visit, and the second
  // visitor must not wait: it tries again later. `mailbox` may be null.
  class Visit {
   public:
    explicit Visit(Mailbox* mailbox) : mailbox_(mailbox) {
      is_permitted_ = mailbox == nullptr || !mailbox->is_visited_.exchange(true);
    }
    ~Visit() {
      if (is_permitted_ && mailbox_ != nullptr) mailbox_->is_visited_ = false;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    bool is_permitted() const { return is_permitted_; }

   private:
    Mailbox* mailbox_;
    bool is_permitted_;
  };

  // Ranks are those of the communicator. The window is one of the receiver. All functions return
  // MPI error codes.
  int isend(const void* data, int count, MPI_Datatype type, int to, int window, int tag,
            MPI_Request& request);
  int irecv(void* data, int count, MPI_Datatype type, int from, int window, int tag,
            MPI_Request& request);
  // Takes messages that have arrived, without waiting.
  int progress();
  // A tag for messages of the visitor to itself.
  int spare_tag() const { return first_tag_ + 2; }

 private:
  struct Head {
    std::int64_t from, window, tag, bytes;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, window, tag
  struct Letter {
    std::unique_ptr<char[]> data;
    std::int64_t bytes = 0;
    OwnedDatatype type;
    MPI_Request body = MPI_REQUEST_NULL, own = MPI_REQUEST_NULL;
    bool has_arrived = false, is_passed_on = false;
    int own_tag = -1;  // of the receive that takes it
  };
  struct Sent {
    Head head;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Box {
    std::deque<Letter*> letters;
    std::deque<int> own_tags;  // of receives that wait for a letter
  };
  // MPI may access it until all messages have ended.
  struct State {
    std::list<Sent> sent;
    std::list<Letter> letters;
    Head next_head;
    MPI_Request next = MPI_REQUEST_NULL;
  };

  void end_sent();
  int take_heads();
  int take_body(const Head& head);
  int pass_on(Letter& letter, bool& ended);
  int head_tag() const { return first_tag_; }
  int body_tag() const { return first_tag_ + 1; }

  MPI_Comm comm_;
  int first_tag_, rank_ = 0;
  MPI_Comm own_ = MPI_COMM_NULL;
  std::atomic<bool> is_visited_ = false;
  std::unique_ptr<State> state_ = std::make_unique<State>();
  std::map<Key, Box> boxes_;
  std::vector<int> free_own_tags_;
  int next_own_tag_ = 0;
  int failed_ = MPI_SUCCESS;  // the first error; no later message can be matched
};

}  // namespace toccata
