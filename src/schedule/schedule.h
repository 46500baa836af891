#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/block_range.h"

namespace toccata {

// How the blocks of one message travel. `whole` is one MPI message made as the executor sees fit:
// straight from memory where the blocks lie together, else packed or by a derived datatype. The
// others prescribe it, for algorithms whose point is the choice; `per_block` is one MPI message for
// every block. Both sides must say the same.
//
// `published`: between ranks of one node, the sender copies the blocks into shared memory, once for
// all ranks that it sends the same blocks to in this round, and the receivers read them there. Both
// sides do so in the same round of the schedule, with at most one such message from one rank to
// another per round and channel. Elsewhere it is a `whole` message.
enum class Travel : std::uint8_t { whole, packed, datatype, per_block, published };

const char* name(Travel travel);

// Blocks to or from one peer, or none: then it tells the peer that we have come so far. Messages of
// the same (sender, receiver, channel) match in the order in which they are posted; `beside` gives
// its parts different channels.
struct Message {
  std::int32_t peer = 0;
  std::uint16_t channel = 0;
  Travel travel = Travel::whole;
  std::uint32_t first_range = 0;
  std::uint32_t range_count = 0;
};

// A local step: the i-th block of `from` is copied to the i-th block of `into`, or reduced into it:
// into = from ∘ into, as in MPI_Reduce_local, so that `from` holds what lower ranks contribute.
// The ranges of both stand one behind the other in the schedule.
struct Step {
  std::uint32_t first_range = 0;
  std::uint32_t from_count = 0;
  std::uint32_t into_count = 0;
  bool reduces = false;
};

// What one rank does in a collective, round by round.
//
// A round: all its messages are in flight together; when they have arrived its steps are done in
// order. Within a round no two messages write the same block, and no message writes a block that
// another sends. Rounds are local to a rank: nothing but messages orders two ranks. A round may
// be empty for a rank: round i is the same moment of the algorithm on every rank, which is how
// `beside` pairs them and pictures show them.
//
// Buffers are counted in blocks; what a block is, the collective says (collectives/), and how many
// bytes it has, the call (mpi/binding, analysis/lockstep).
class Schedule {
 public:
  int rounds() const { return static_cast<int>(rounds_.size()); }
  int channels() const { return channels_; }

  std::span<const Message> sends(int round) const { return entries(sends_, &Round::sends, round); }
  std::span<const Message> recvs(int round) const { return entries(recvs_, &Round::recvs, round); }
  std::span<const Step> steps(int round) const { return entries(steps_, &Round::steps, round); }

  std::span<const BlockRange> ranges(const Message& message) const {
    return {ranges_.data() + message.first_range, message.range_count};
  }
  std::span<const BlockRange> from(const Step& copy) const {
    return {ranges_.data() + copy.first_range, copy.from_count};
  }
  std::span<const BlockRange> into(const Step& copy) const {
    return {ranges_.data() + copy.first_range + copy.from_count, copy.into_count};
  }

  // Scratch block i has the size of the i-th block of these, so that a schedule serves blocks of
  // different sizes as well. They name blocks of send or recv.
  const BlockRanges& scratch() const { return scratch_; }

  // Prescribes how the messages travel that are `whole` so far.
  void set_travel(Travel travel);

  // Whether some messages are published.
  bool publishes() const;

  // Bytes this schedule occupies.
  std::size_t memory() const;

 private:
  friend class ScheduleBuilder;

  // Where a round's entries begin; they end where the next round's begin.
  struct Round {
    std::uint32_t sends, recvs, steps;
  };
  template <typename Entry>
  std::span<const Entry> entries(const std::vector<Entry>& all, std::uint32_t Round::*begin,
                                 int round) const {
    const std::size_t first = rounds_[round].*begin;
    const std::size_t end = round + 1 < rounds() ? rounds_[round + 1].*begin : all.size();
    return {all.data() + first, end - first};
  }

  std::vector<Round> rounds_;
  std::vector<Message> sends_;
  std::vector<Message> recvs_;
  std::vector<Step> steps_;
  BlockRanges ranges_;
  BlockRanges scratch_;
  int channels_ = 1;
};

// The number of MPI messages per message.
std::int64_t pieces(const Schedule& schedule, const Message& message);

}  // namespace toccata
