#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "node/board.h"

namespace toccata::node {

// Bytes that may precede each piece of a message (see Announcement).
inline constexpr std::uint32_t announcement_bytes = sizeof(Announcement);

// A stretch of this rank's memory.
struct Stretch {
  char* data = nullptr;
  std::int64_t bytes = 0;
};

// The publication of a rank on one channel in a round: the same message for all readers, or a
// different one for each.
struct Publication {
  int channel = 0;
  std::span<const int> readers;
  std::span<const Stretch> messages;  // one for all readers, or one per reader

  bool common() const { return messages.size() == 1; }
};

// A message that a rank reads.
struct Reading {
  int publisher = 0;
  int channel = 0;
  Stretch into;
};

// into = from, or into = from ∘ other, for elements side by side. Instead of an address, `from` and
// `other` may have the number of a reading, whose data is then used in place.
struct Operand {
  const char* data = nullptr;
  int reading = -1;
};
struct Combination {
  Operand from, other;
  char* into = nullptr;
  bool reduces = false;
};

// How to reduce elements. The number of bytes is a multiple of `element`.
struct Operator {
  // into = from ∘ into
  void (*apply)(void* context, const char* from, char* into, std::int64_t bytes) = nullptr;
  void* context = nullptr;
  std::int64_t element = 1;  // bytes
  // into = from ∘ other, if there is a faster function; `into` may be either.
  void (*combine)(const char* from, const char* other, char* into, std::int64_t bytes) = nullptr;

  explicit operator bool() const { return apply != nullptr; }

  // into = from ∘ other; `into` may be either.
  void operator()(const char* from, const char* other, char* into, std::int64_t bytes) const {
    if (combine != nullptr)
      combine(from, other, into, bytes);
    else
      combine_in_two_steps(from, other, into, bytes);
  }

 private:
  void combine_in_two_steps(const char* from, const char* other, char* into,
                            std::int64_t bytes) const;
};

// One rank's part in one round of published messages: copies its messages into its slots, and reads
// messages from the slots of others. Never waits: go_on() continues as far as possible. Call it
// until it returns true, at the end of the round. If messages are longer than a slot, ranks publish
// and read one piece after the other. All ranks use the same order, so two ranks never wait for
// each other.
//
//   piece            0        1        2
//   rank 0   publish a0       a1       a2
//            read       b0       b1       b2
//
// A direct publication is announced as piece 0, and its readers read all of it then. If one of them
// cannot, it rejects the round, and the pieces 1, 2, ... contain the data for that reader.
//
//   piece            0                  1        2
//   rank 0   publish address of a       -        -         a0, a1 if rank 1 rejected
//            read      all of b
//
// A rank that only publishes waits for its readers. So it helps them: each reader offers it the end
// of a long message, or of a combination with it.
class Exchange {
 public:
  // Opens a round; the spans stay valid until its end. Readings copy into their stretches. If a
  // reading has no address, combinations read its data in place. All stretches of such readings and
  // of the combinations have the same length. In collectives that reduce, every rank passes the
  // operation, also in rounds without combinations, because the length of a piece depends on it.
  void open(Board& board, std::uint64_t call, std::uint32_t round, int channels,
            std::span<const Publication> publications, std::span<const Reading> readings,
            std::span<const Combination> combinations = {}, const Operator& reduction = {},
            bool times_paths = true);
  // Returns much memory to the process.
  void shrink() {
    if (aside_.capacity() * sizeof(Page) > std::size_t{512} << 10) aside_ = {};
  }

  bool go_on();

  // Whether a message was longer than its reader's stretch, because a program may pass a wrong
  // size. The part that fits has been read. Unknown for reductions, whose pieces have no sizes.
  bool was_cut() const { return was_cut_; }

 private:
  // Publishes as many pieces as there are free slots, even if readers are still at earlier pieces.
  void publish_ahead();
  bool publish(const Publication& publication);
  bool publish_directly(const Publication& publication);
  void help(const Publication& publication, const Moment& announced);
  bool work(const Offer::Work& work, int reader);
  bool publish_piece(const Publication& publication, std::span<const int> readers,
                     std::uint32_t number);
  void choose_path(bool times_paths);
  bool finish();

  bool read(std::size_t reading);
  void read_directly(std::size_t reading, char* into, std::int64_t first, std::int64_t end);
  // Reads and combines the announced messages, except the parts that it offers to publishers; false
  // while a publisher still writes.
  bool read_announced();
  void begin_announced();
  bool settle_offers();
  // Offers the end of a message, or of the combination, to the publisher. Returns its bytes.
  std::int64_t offer(std::size_t reading, std::int64_t bytes, char* into,
                     const Combination* combination);
  void offer_combination();
  bool combination_is_simple() const;
  void set_aside();
  // Combines up to that byte. False if some memory cannot be read.
  bool combine_directly(std::int64_t end);
  bool combine_chunks(std::int64_t end);
  bool copies_to_result() const;
  bool is_used_in_place(std::size_t reading) const {
    const Stretch& into = readings_[reading].into;
    return into.data == nullptr && into.bytes > 0;
  }

  // A combination may change data that a later piece of ours publishes. An example is an allreduce
  // in which each rank publishes its partial result and adds the other's to it. So the combination
  // waits until our own piece is published, even if all others have published theirs.
  bool has_published(std::uint32_t piece) const {
    return publishing_.done || publishing_.piece > piece;
  }
  bool combinations_change_publications();
  void combine(std::int64_t first, std::int64_t bytes);
  std::int64_t chunk_bytes(std::size_t operands) const;
  // Memory of that many bytes for each operand. It consists of pages, because the kernel copies
  // faster to the same place of a page.
  struct alignas(4096) Page {
    char bytes[4096];
  };
  void reserve_aside(std::int64_t bytes, std::size_t operands);
  char* aside(std::size_t operand) { return aside_[pages_aside_ * operand].bytes; }

  std::uint32_t piece_bytes(bool common) const;
  Moment moment(std::uint32_t piece, int channel) const {
    return {call_, round_,
            piece * static_cast<std::uint32_t>(channels_) + static_cast<std::uint32_t>(channel)};
  }

  Board* board_ = nullptr;
  std::uint64_t call_ = 0;
  std::uint32_t round_ = 0;
  int channels_ = 1;
  std::span<const Publication> publications_;
  std::span<const Reading> readings_;
  std::span<const Combination> combinations_;
  Operator reduction_;
  bool was_cut_ = false;

  // The progress of publishing and of reading. Each goes on to a next piece if any message has one.
  struct Cursor {
    std::uint32_t piece = 0;
    std::size_t next = 0;  // of the publications, or of the readings
    bool more = false;
    bool done = false;
  } publishing_, reading_;
  struct Found {
    const char* data = nullptr;  // the present piece: in the publisher's slot, or aside
    std::int64_t piece = 0;      // bytes of a piece, at most
    std::int64_t bytes = 0;      // of the message, as far as it fits
    bool direct = false;
    bool read = false;              // directly, all of it
    const char* address = nullptr;  // of a direct publication, in its publisher's memory
    std::int64_t helped = 0;        // readers that its publisher helps
    std::int64_t offered = 0;       // bytes at the end that are offered to the publisher
  };
  std::vector<Found> found_;            // by reading
  std::int64_t first_ = 0, bytes_ = 0;  // the part of this piece to combine

  bool directly_ = false;  // whether we publish directly
  std::optional<PublicationPaths::Kind> timed_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<int> refusing_;  // readers of the present publication
  bool has_refused_ = false;   // we have refused this round
  std::optional<bool> combinations_change_publications_;
  // The operands of combinations that wait for the end of the round.
  bool is_late_ = false;
  bool has_begun_announced_ = false;
  // Bytes of each combination: in all, combined so far, and the end of this rank's part.
  std::int64_t length_ = 0, combined_ = 0, end_ = 0;
  std::vector<std::shared_ptr<const char>> mapped_;  // by reading, while combinations use it
  std::vector<Page> aside_;
  std::size_t pages_aside_ = 0;  // for each operand
};

}  // namespace toccata::node
