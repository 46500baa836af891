#pragma once

#include <span>

#include "schedule/schedule.h"

namespace toccata {

class BlockMap;

// By how much blocks are moved up, in each buffer.
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
// Everything said after round() belongs to that round; sends and receives may come in any order,
// local steps follow the round's messages.
class ScheduleBuilder {
 public:
  // Opens the next round. A rank with nothing to do in it opens it all the same.
  ScheduleBuilder& round();

  ScheduleBuilder& send(int peer, const BlockRange& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& send(int peer, const BlockRanges& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& recv(int peer, const BlockRange& blocks, Travel travel = Travel::whole);
  ScheduleBuilder& recv(int peer, const BlockRanges& blocks, Travel travel = Travel::whole);
  // Messages of no blocks: all that counts is that they come.
  ScheduleBuilder& send(int peer) { return send(peer, BlockRanges{}); }
  ScheduleBuilder& recv(int peer) { return recv(peer, BlockRanges{}); }
  // In shared memory: one copy of `blocks`, which each of the readers reads in this round.
  ScheduleBuilder& publish(std::span<const int> readers, const BlockRange& blocks);
  ScheduleBuilder& publish(int reader, const BlockRange& blocks) {
    return send(reader, blocks, Travel::published);
  }
  ScheduleBuilder& read(int publisher, const BlockRange& into) {
    return recv(publisher, into, Travel::published);
  }
  ScheduleBuilder& copy(const BlockRanges& from, const BlockRanges& into);
  ScheduleBuilder& copy(const BlockRange& from, const BlockRange& into);
  // into = from ∘ into, where `from` holds what the lower ranks contribute.
  ScheduleBuilder& reduce(const BlockRanges& from, const BlockRanges& into);
  ScheduleBuilder& reduce(const BlockRange& from, const BlockRange& into);

  // New scratch blocks, one for each block of `like` and of its size.
  BlockRange scratch(const BlockRanges& like);
  int scratch_blocks() const { return scratch_blocks_; }
  int rounds() const { return schedule_.rounds(); }

  // All rounds of `next`, after ours: the combinator `then`, in place. Where other ranks have more
  // rounds in their `next`, `rounds` says how many, so that what follows lines up.
  ScheduleBuilder& then(Schedule next, int rounds = 0);

  // The same for several at a time, on the same channels, as in `abreast`, which may work in our
  // scratch. Each is made by `on`, told of all the scratch that we and those before it have.
  ScheduleBuilder& go_on(std::span<const Schedule> abreast, int rounds = 0);

  // Adds one round of `other` to the open one, its blocks moved so, its channels moved past ours:
  // how combinators pair rounds. Its scratch itself is claimed by scratch().
  ScheduleBuilder& merge_round(const Schedule& other, int round, const BlockShift& shift = {},
                               int first_channel = 0);

  // The channel of the messages that follow; see Message.
  ScheduleBuilder& channel(int channel);

  // Makes room for as much as another schedule has.
  void reserve(const Schedule& like);

  // The finished schedule. Rounds that are empty at the end are dropped.
  Schedule build() &&;

 private:
  ScheduleBuilder& step(std::span<const BlockRange> from, std::span<const BlockRange> into,
                        bool reduces);

  BlockRanges without_scratch(const BlockRanges& like) const;

  // Keeps the ranges that have blocks, and returns where they begin.
  std::uint32_t store(std::span<const BlockRange> blocks);
  std::uint32_t stored_since(std::uint32_t first) const {
    return static_cast<std::uint32_t>(schedule_.ranges_.size()) - first;
  }
  // What a schedule's own entries say, as entries of ours.
  std::uint32_t store_moved(std::span<const BlockRange> ranges, const BlockShift& shift);
  Message message(int peer, std::span<const BlockRange> blocks, Travel travel);

  Schedule schedule_;
  std::uint16_t channel_ = 0;
  std::int32_t scratch_blocks_ = 0;
};

}  // namespace toccata
