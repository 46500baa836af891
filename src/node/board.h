#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "node/direct_reading.h"
#include "node/publication_paths.h"

namespace toccata::node {

// Bytes of a cache line. Two ranks never write to the same `line`: x86 processors fetch cache lines
// in pairs. A64FX has lines of 256 bytes.
#if defined(__aarch64__)
inline constexpr std::size_t cache_line = 256, line = 256;
#else
inline constexpr std::size_t cache_line = 64, line = 128;
#endif

// A point in time on a board: the number of the collective call on this communicator, the round of
// the call, and the position in the round. All ranks count the calls identically. If a round does
// not fit the slots, it is published in pieces, and the channels alternate:
//
//   position = piece * channels + channel
struct Moment {
  std::uint64_t call = 0;
  std::uint32_t round = 0;
  std::uint32_t position = 0;

  std::uint64_t within_call() const { return std::uint64_t{round} << 32 | position; }
  // One number for a round: no schedule has a million rounds.
  std::uint64_t digest() const { return call << 20 | round; }
  auto operator<=>(const Moment&) const = default;
};

// A rank's progress in reading: it has read everything before this moment. Only its owner writes
// it.
struct alignas(line) Progress {
  std::atomic<std::uint64_t> call;
  std::atomic<std::uint64_t> within_call;
  // The last round in which the rank could not read directly, as Moment::digest() of its beginning.
  std::atomic<std::uint64_t> refused;

  // First resets the moment within the call, then sets the call. So a rank that sees the new call
  // also sees a moment of that call that has passed.
  void set(const Moment& moment) {
    if (call.load(std::memory_order_relaxed) != moment.call) {
      within_call.store(0, std::memory_order_release);
      call.store(moment.call, std::memory_order_release);
    }
    within_call.store(moment.within_call(), std::memory_order_release);
  }
};

// One publication, which readers find by its moment. Short data is next to its flag, in the same
// cache line; longer data is in the slot's memory. A direct publication only contains the address
// of the message in the publisher's own memory.
struct alignas(line) Slot {
  // Publishers store it by one instruction.
  struct alignas(8) Form {
    std::uint16_t stride;  // bytes from one reader's piece to the next one's; 0: all read the same
    std::uint16_t piece;   // bytes of a message that a position carries, at most
    bool inlined, direct = false;
    std::uint16_t helped = 0;  // the number of readers that the publisher helps (see Offer)
  };

  std::atomic<std::uint64_t> call;
  std::atomic<std::uint64_t> within_call;
  std::int64_t bytes;  // of the message, if all readers get the same one
  Form form;
  alignas(16) char payload[cache_line - 32];
};
static_assert(sizeof(Slot) == line && offsetof(Slot, payload) == 32 && sizeof(Progress) == line);
static_assert(sizeof(Slot::Form) == 8);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The end of a direct message, which its reader offers to the publisher, because that waits for the
// reader. The publisher takes the offer, writes to the reader's memory, and stores `done`.
// Meanwhile, the reader reads the beginning. Then it withdraws an offer that was not taken.
//
//   reader      offered    reads the beginning      waits for done, or for failed
//   publisher           taken    writes the end     done
struct alignas(line) Offer {
  enum Phase : std::uint64_t { offered, taken, done, failed, withdrawn };
  static constexpr int phase_bits = 3;

  struct Work {
    const char* from;     // in the publisher's memory
    const char* operand;  // in the reader's memory; null: only copy
    char* into;           // in the reader's memory, without bytes of `operand`
    std::int64_t bytes;
    bool from_is_first;  // into = from ∘ operand; otherwise operand ∘ from
  };

  std::atomic<std::uint64_t> state;  // Moment::digest() of the round's beginning, and the phase
  std::atomic<int> publisher;
  Work work;
};
static_assert(sizeof(Offer) == line);

// The shared memory of one rank on a board: its progress, its offers to publishers, and the slots
// that it publishes in. Their data follows it.
//
//   | slot_bytes | Progress | Offer 0 | ... | Slot 0 | ... | Slot 3 | data 0 | ... | data 3 |
struct alignas(line) Part {
  static constexpr int slots = 4, offers = 8;
  // Bytes of a slot's data: 8 or 32 KiB, and the announcements in front of the shares of up to 16
  // ranks. Large slots need fewer pieces. Two ranks do not need them, because they copy longer
  // messages directly.
  static constexpr std::uint32_t usual = (8 << 10) + 256, large = (32 << 10) + 256;
  // The longest element of a reduction: Operator::combine_in_two_steps puts one aside, on the stack
  // of the caller, which may be small.
  static constexpr std::uint32_t most_element = 2 << 10;

  // With the data of its slots.
  static constexpr std::size_t bytes(std::uint32_t slot_bytes) {
    return sizeof(Part) + std::size_t{slots} * slot_bytes;
  }
  char* data(int index) {
    return reinterpret_cast<char*>(this + 1) + std::size_t{slot_bytes} * index;
  }

  std::uint32_t slot_bytes;  // the owner sets it before it tells others of this part
  Progress progress;
  Offer offer[offers];
  Slot slot[slots];
};
static_assert(sizeof(Part) == line * (2 + Part::offers + Part::slots));
static_assert(Part::large <= std::numeric_limits<decltype(Slot::Form::stride)>::max());

// The state of a rank's own part, which outlives each communicator that uses the part: the ranks
// that may still be reading there. The next communicator waits for them before it overwrites a
// slot.
struct PartState {
  struct Reader {
    const Progress* progress;
    int rank;  // on the present board; -1: of an earlier one
  };
  struct Pending {
    Moment moment;
    std::vector<Reader> readers;
  };
  explicit PartState(Part* of = nullptr) : part(of) {}

  Part* part;
  Pending pending[Part::slots];
  std::uint64_t last_call = 0;  // numbers of calls grow over all communicators that use the part
  PublicationPaths paths;
};

// Precedes the data of each piece of a message, unless all readers get the same message, or the
// collective reduces. Its size keeps the data after it aligned. A direct publication consists only
// of an announcement.
struct alignas(16) Announcement {
  std::int64_t bytes;   // of the message
  const char* address;  // in the publisher's memory; null unless it is direct
};

// The shared memory in which the ranks of one communicator publish blocks for each other.
//
// A rank publishes at a moment; each reader waits for that moment in the publisher's slot, reads in
// place, and then sets its own progress. The publisher uses a slot again once all its readers have
// passed. Their progress shows this, and so do their publications: a rank that publishes in call 7
// has finished call 6. For example, an allreduce of 8 bytes on two ranks:
//
//   rank 0   slot 3: {call 7, a}    reads b in rank 1's slot 3    progress: past call 7
//   rank 1   slot 3: {call 7, b}    reads a in rank 0's slot 3    progress: past call 7
//
// A long message may be published directly: the slot contains its address, and its readers copy it
// from there, once. The publisher's round ends when all readers have passed. A reader that cannot
// read that memory rejects the round, and then gets the message in pieces. A publisher that only
// waits copies a part of the message for its readers (see Offer).
//
// One thread at a time calls these functions. Flags are stored with release and loaded with
// acquire order, so data is visible before its flag on any processor.
class Board {
 public:
  static constexpr int most_ranks = Part::usual / 32;
  // The pieces of one position, one per channel, have different slots. If two of them shared one,
  // its publisher would wait for readers that pass a position only after reading all its channels.
  static constexpr int most_channels = Part::slots;

  // `parts` are the parts of all ranks of the board; part `own` is ours. The first call has the
  // number `first_call`, the same on all ranks and larger than PartState::last_call on each.
  Board(PartState& state, std::vector<Part*> parts, int own, std::uint64_t first_call,
        DirectReading direct = {});

  int ranks() const { return static_cast<int>(parts_.size()); }
  int own() const { return own_; }

  // All ranks count each call on this board.
  std::uint64_t begin_call() { return state_->last_call = next_call_++; }

  // The maximum number of bytes of a message per position. With `common`, all readers share the
  // slot's memory; otherwise each of them has its own share.
  std::uint32_t piece(bool common) const { return common ? slot_bytes_ : own_piece_; }

  // The longest element of a reduction here, because a piece holds one.
  std::uint32_t most_element() const { return std::min(own_piece_, Part::most_element); }

  // Whether our slot for that moment may be overwritten.
  bool is_free(const Moment& moment) {
    PartState::Pending& pending = state_->pending[index(moment)];
    while (!pending.readers.empty()) {
      if (!has_read(pending.readers.back(), pending.moment)) return false;
      pending.readers.pop_back();
    }
    return true;
  }

  // How a publication's data lies. `common`: all readers get the same message. `most` is the
  // longest message that any reader gets now, with what precedes it; `piece` the longest at this
  // and all other positions.
  Slot::Form form(bool common, std::uint32_t most, std::uint32_t piece) const {
    const std::uint32_t stride = common ? 0 : std::min((most + 15) / 16 * 16, own_piece_);
    return {.stride = static_cast<std::uint16_t>(stride),
            .piece = static_cast<std::uint16_t>(piece),
            .inlined = (common ? most : stride * ranks()) <= sizeof(Slot::payload)};
  }

  // The memory to which data must be written before publish(). The data of reader q begins q *
  // stride bytes after `data`.
  struct Place {
    char* data;
    Slot::Form form;
    std::int64_t bytes = 0;

    // The memory for the data of a reader.
    char* of(int reader) const { return data + std::size_t{form.stride} * reader; }
    // The same after its announcement, which this writes.
    char* of(int reader, const Announcement& message) {
      bytes = message.bytes;
      char* const memory = of(reader);
      if (form.stride == 0 && !form.direct) return memory;
      std::memcpy(memory, &message, sizeof message);
      return memory + sizeof message;
    }
  };
  Place open(const Moment& moment, const Slot::Form& form) const {
    Slot& slot = state_->part->slot[index(moment)];
    return {form.inlined ? slot.payload : state_->part->data(index(moment)), form};
  }
  // The same for a direct publication: a place for one announcement, or one per reader. `helped` is
  // the number of readers that its publisher helps.
  Place open_directly(const Moment& moment, bool common, int helped) const {
    Slot::Form its = form(common, sizeof(Announcement), 0);
    its.direct = true;
    its.helped = static_cast<std::uint16_t>(helped);
    return open(moment, its);
  }
  // Takes from other cores the cache lines that a publication at a later moment will write, with
  // messages of up to `most` bytes. When it publishes, taking one would last as long as sending it.
  // Before a longer message, also asks whether its slot is free, so that the publication need not
  // ask. A reader of a short message that is still there gets its lines back. If this call has
  // several rounds or pieces, its last one may have used the slot: if the message is shorter than 6
  // KiB, its readers are probably still there.
  void fetch(const Moment& moment, const Slot::Form& form, std::uint32_t most) {
    constexpr std::uint32_t longer = 1 << 10, long_enough = 6 << 10;  // bytes
    const PartState::Pending& before = state_->pending[index(moment)];
    const bool is_of_this_call = !before.readers.empty() && before.moment.call + 1 == moment.call;
    if (is_of_this_call && most < long_enough) return;
    if (most >= longer && !is_free(moment)) return;
    fetch_to_write(&state_->part->slot[index(moment)]);
    if (form.inlined) return;
    char* const data = state_->part->data(index(moment));
    const std::uint32_t bytes = form.stride == 0 ? most : std::uint32_t{form.stride} * ranks();
    for (std::size_t at = 0; at < std::min(bytes, most_fetched); at += cache_line)
      fetch_to_write(data + at);
  }
  // Writes the flag's cache line last, and at once: while it waited for another line, a reader
  // that looks for the flag would take this one.
  void publish(const Place& place, const Moment& moment, std::span<const int> readers) {
    publish(moment, place.form, place.bytes, readers);
  }
  void publish(const Moment& moment, const Slot::Form& form, std::int64_t bytes,
               std::span<const int> readers) {
    PartState::Pending& pending = state_->pending[index(moment)];
    pending.moment = moment;
    for (const int reader : readers) pending.readers.push_back({&parts_[reader]->progress, reader});
    Slot& slot = state_->part->slot[index(moment)];
    slot.bytes = bytes;
    slot.form = form;
    slot.within_call.store(moment.within_call(), std::memory_order_release);
    slot.call.store(moment.call, std::memory_order_release);
  }

  // The publication of `publisher` at that moment, for this rank; null if it does not exist yet.
  const Slot* find(int publisher, const Moment& moment) {
    const Slot& slot = parts_[publisher]->slot[index(moment)];
    if (slot.call.load(std::memory_order_acquire) != moment.call) return nullptr;
    if (slot.within_call.load(std::memory_order_acquire) != moment.within_call()) return nullptr;
    heard_of_[publisher] = moment.call;
    return &slot;
  }
  const char* data(int publisher, const Moment& moment, const Slot& slot) const {
    const char* const first =
        slot.form.inlined ? slot.payload : parts_[publisher]->data(index(moment));
    return first + std::size_t{slot.form.stride} * own_;
  }
  // The announcement of a publication's message. Moves `data` past it, if it is there.
  static Announcement announcement(const Slot& slot, const char*& data) {
    if (slot.form.stride == 0 && !slot.form.direct) return {slot.bytes, nullptr};
    Announcement message;
    std::memcpy(&message, data, sizeof message);
    data += sizeof message;
    return message;
  }

  // Whether all our publications so far have been read.
  bool is_all_read() {
    for (std::uint32_t position = 0; position < Part::slots; ++position)
      if (!is_free({0, 0, position})) return false;
    return true;
  }

  // The longest message that is never published directly, so that its readers may expect it in a
  // slot. In reductions, both sides know the length of a piece. If one of two ranks only publishes
  // and the other one only reads, one copy by the kernel is often faster than two copies of a
  // message that almost fills a slot, where the kernel makes copies.
  std::int64_t most_in_slot(bool reduces, bool exchanges) const {
    if (reduces) return piece(false);
    const bool may_be_direct = ranks() == 2 && !exchanges && !direct_.peers.empty();
    if (may_be_direct) return 6 << 10;
    const auto most = std::max<std::int64_t>(Part::usual, direct_.most_in_slot);
    return std::min<std::int64_t>(piece(true), most) - std::int64_t{sizeof(Announcement)};
  }
  // Whether a round with messages of that length may be published directly; whether it then always
  // is; and otherwise, the path by measured times.
  bool may_publish_directly(std::int64_t bytes, bool reduces, bool exchanges) const {
    return bytes > most_in_slot(reduces, exchanges) && bytes >= least_direct_ &&
           (!reduces || slot_bytes_ == Part::usual || bytes >= direct_.least_reduced);
  }
  bool always_directly() const { return direct_.always; }
  // Whether slots must be clearly faster than direct messages to be chosen.
  bool slots_must_win_clearly() const {
    return slot_bytes_ > Part::usual && direct_.most_in_slot == 0;
  }
  PublicationPaths& paths() { return state_->paths; }
  void publish_nothing_directly() { least_direct_ = std::numeric_limits<std::int64_t>::max(); }
  // Copies from the memory of a publisher.
  bool read_directly(int publisher, const char* from, char* into, std::int64_t bytes) const {
    return !direct_.peers.empty() &&
           direct_.memory->read(direct_.peers[publisher], from, into, bytes);
  }
  // The memory of a publisher, as for PeerMemory::map().
  std::shared_ptr<const char> map(int publisher, const char* from, std::int64_t bytes) const {
    return direct_.peers.empty() ? nullptr
                                 : direct_.memory->map(direct_.peers[publisher], from, bytes);
  }
  bool write_directly(int reader, const char* from, char* into, std::int64_t bytes) const {
    return direct_.memory->write(direct_.peers[reader], from, into, bytes);
  }

  // Whether this rank still helps its readers: all its help so far has worked.
  bool helps() const { return helps_; }
  // Offers work to a publisher of this round. False if there is no place for the offer.
  bool offer(const Moment& moment, int publisher, const Offer::Work& work) {
    Offer& offer = state_->part->offer[publisher % Part::offers];
    if (offer.state.load(std::memory_order_relaxed) >> Offer::phase_bits == moment.digest())
      return false;  // another publisher's
    offer.publisher.store(publisher, std::memory_order_relaxed);
    offer.work = work;
    offer.state.store(state_of(moment, Offer::offered), std::memory_order_release);
    return true;
  }
  // Withdraws the offer, unless it is taken. Returns its phase.
  Offer::Phase withdraw(const Moment& moment, int publisher) {
    Offer& offer = state_->part->offer[publisher % Part::offers];
    std::uint64_t state = state_of(moment, Offer::offered);
    if (offer.state.compare_exchange_strong(state, state_of(moment, Offer::withdrawn),
                                            std::memory_order_acquire))
      return Offer::withdrawn;
    return static_cast<Offer::Phase>(state & ((1U << Offer::phase_bits) - 1));
  }
  // The offer of a reader to this rank; null if there is none, or no longer. Then call finish().
  const Offer::Work* take(const Moment& moment, int reader) {
    Offer& offer = parts_[reader]->offer[own_ % Part::offers];
    std::uint64_t state = state_of(moment, Offer::offered);
    if (offer.state.load(std::memory_order_acquire) != state ||
        offer.publisher.load(std::memory_order_relaxed) != own_ ||
        !offer.state.compare_exchange_strong(state, state_of(moment, Offer::taken),
                                             std::memory_order_acquire))
      return nullptr;
    return &offer.work;
  }
  void finish(const Moment& moment, int reader, bool done) {
    helps_ = helps_ && done;
    parts_[reader]->offer[own_ % Part::offers].state.store(
        state_of(moment, done ? Offer::done : Offer::failed), std::memory_order_release);
  }

  // Call this before passing the first piece, if we cannot read some of the direct publications of
  // this round. We then need all of them in pieces.
  void refuse(const Moment& moment) {
    state_->part->progress.refused.store(moment.digest(), std::memory_order_release);
  }
  // Whether a reader that has passed the first piece of this round has rejected it.
  bool has_refused(int reader, const Moment& moment) const {
    return parts_[reader]->progress.refused.load(std::memory_order_acquire) == moment.digest();
  }

  // Call this when we have read everything before that moment.
  void pass(const Moment& moment) { state_->part->progress.set(moment); }

 private:
  static int index(const Moment& moment) {
    return static_cast<int>((moment.call + moment.round + moment.position) % Part::slots);
  }
  static std::uint64_t state_of(const Moment& moment, Offer::Phase phase) {
    return moment.digest() << Offer::phase_bits | phase;
  }
  static constexpr std::uint32_t most_fetched = 4096;  // bytes

  static void fetch_to_write([[maybe_unused]] const void* memory) {
#if defined(__x86_64__)
    // Without -mprfchw, GCC compiles its builtin to a fetch for reading. Old processors ignore this
    // instruction.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(memory)));
#else
    __builtin_prefetch(memory, 1);
#endif
  }

  // Whether a reader has passed a moment, as far as this rank has heard.
  bool has_certainly_read(const PartState::Reader& reader, const Moment& moment) const {
    return reader.rank >= 0 && heard_of_[reader.rank] > moment.call;
  }
  // Whether a reader has passed a moment. Remembers the last known progress of each rank, because
  // reading it again would fetch a cache line from another core. A rank that is in a call has
  // finished all calls before it.
  bool has_read(const PartState::Reader& reader, const Moment& moment) {
    if (has_certainly_read(reader, moment)) return true;
    const std::uint64_t in = reader.progress->call.load(std::memory_order_acquire);
    if (reader.rank >= 0) heard_of_[reader.rank] = std::max(heard_of_[reader.rank], in);
    return in > moment.call ||
           (in == moment.call &&
            reader.progress->within_call.load(std::memory_order_acquire) > moment.within_call());
  }

  PartState* state_;
  std::vector<Part*> parts_;
  std::vector<std::uint64_t> heard_of_;  // by rank: it has finished all calls before this one
  int own_;
  std::uint32_t slot_bytes_;  // the least of all parts
  std::uint32_t own_piece_;   // bytes of a slot, if each reader has its own share
  std::uint64_t next_call_;
  DirectReading direct_;
  std::int64_t least_direct_;  // bytes of a message
  bool helps_ = true;
};

}  // namespace toccata::node
