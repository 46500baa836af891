#pragma once

#include <span>

#include "schedule/schedule.h"

namespace toccata {

class BlockMap;

// The number of places by which blocks move up, per buffer.
struct BlockShift {
  std::int32_t send = 0, recv = 0, scratch = 0;

  std::int32_t of(Buffer buffer) const {
    return buffer == Buffer::send ? send : buffer == Buffer::recv ? recv : scratch;
  }
};

// Writes one rank's schedule, round after round:
//
//   schedule.round().send(right, recv(rank)).recv(left, recv(previous));
//
// All calls after round() belong to that round. Sends and receives may come in any order; local
// steps follow the round's messages.
class ScheduleBuilder {
 public:
  // Opens the next round. A rank without messages must also open it.
  ScheduleBuilder& round();

  ScheduleBuilder& send(int peer, const BlockRange& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& send(int peer, const BlockRanges& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& recv(int peer, const BlockRange& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& recv(int peer, const BlockRanges& blocks, Travel travel = Travel::whole);
  // Messages without blocks: signals.
  ScheduleBuilder& send(int peer) { return send(peer, BlockRanges{}); }
  ScheduleBuilder& recv(int peer) { return recv(peer, BlockRanges{}); }
  // Through shared memory: one copy of `blocks`, which every reader reads in this round.
  ScheduleBuilder& publish(std::span<const int> readers, const BlockRange& blocks);
  ScheduleBuilder& publish(int reader, const BlockRange& blocks) {
    return send(reader, blocks, Travel::published);
  }
  ScheduleBuilder& read(int publisher, const BlockRange& into) {
    return recv(publisher, into, Travel::published);
  }
  ScheduleBuilder& copy(const BlockRanges& from, const BlockRanges& into);
  ScheduleBuilder& copy(const BlockRange& from, const BlockRange& into);
  // into = from ∘ into; `from` holds the contributions of the lower ranks.
  ScheduleBuilder& reduce(const BlockRanges& from, const BlockRanges& into);
  ScheduleBuilder& reduce(const BlockRange& from, const BlockRange& into);

  // New scratch blocks: one per block of `like`, with the same size.
  BlockRange scratch(const BlockRanges& like);
  int scratch_blocks() const { return scratch_blocks_; }
  int rounds() const { return schedule_.rounds(); }

  // Appends all rounds of `next`: the combinator `then`, in place. If the `next` of another rank
  // has more rounds, pass the maximum number as `rounds`, so that later rounds stay aligned.
  ScheduleBuilder& then(Schedule next, int rounds = 0);

  // The same for several concurrent schedules on the same channels, as in `abreast`. They may use
  // our scratch. Each is the result of `on`, whose `first_scratch` must be the number of scratch
  // blocks of this builder and of the schedules before it.
  ScheduleBuilder& go_on(std::span<const Schedule> abreast, int rounds = 0);

  // Adds one round of `other` to the open round, with shifted blocks and channels. Combinators use
  // it to pair rounds. Declare the scratch of `other` with scratch().
  ScheduleBuilder& merge_round(const Schedule& other, int round, const BlockShift& shift = {},
                               int first_channel = 0);

  // The channel of the messages that follow; see Message.
  ScheduleBuilder& channel(int channel);

  // Reserves memory for as many entries as another schedule has.
  void reserve(const Schedule& like);

  // Returns the schedule, without empty rounds at the end.
  Schedule build() &&;

 private:
  ScheduleBuilder& step(std::span<const BlockRange> from, std::span<const BlockRange> into,
                        bool reduces);

  BlockRanges without_scratch(const BlockRanges& like) const;

  // Stores the ranges that have blocks, and returns the index of the first.
  std::uint32_t store(std::span<const BlockRange> blocks);
  std::uint32_t stored_since(std::uint32_t first) const {
    return static_cast<std::uint32_t>(schedule_.ranges_.size()) - first;
  }
  // Stores ranges of another schedule, moved by `shift`, and returns the index of the first.
  std::uint32_t store_moved(std::span<const BlockRange> ranges, const BlockShift& shift);
  Message message(int peer, std::span<const BlockRange> blocks, Travel travel);

  Schedule schedule_;
  std::uint16_t channel_ = 0;
  std::int32_t scratch_blocks_ = 0;
};

}  // namespace toccata
