#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/block_range.h"

namespace toccata {

// How the blocks of one message are sent. `whole` is one MPI message, and the executor chooses the
// method: directly from memory if the blocks are contiguous, otherwise packed or with a derived
// datatype. The other values prescribe the method, for algorithms that depend on it; `per_block` is
// one MPI message per block. Both sides must specify the same value.
//
// `published`: between ranks of one node, the sender copies the blocks to shared memory, and the
// receivers read them there. There is one copy for all ranks to which the sender sends the same
// blocks in this round. Both sides act in the same round of the schedule, with at most one such
// message per pair of ranks, round and channel. Between nodes it is a `whole` message.
enum class Travel : std::uint8_t { whole, packed, datatype, per_block, published };

const char* name(Travel travel);

// Blocks to or from one peer. A message without blocks signals that the sender has reached this
// round. Messages with the same (sender, receiver, channel) match in the order in which they are
// posted; `beside` gives its parts different channels.
struct Message {
  std::int32_t peer = 0;
  std::uint16_t channel = 0;
  Travel travel = Travel::whole;
  std::uint32_t first_range = 0;
  std::uint32_t range_count = 0;
};

// A local step copies the i-th block of `from` to the i-th block of `into`, or reduces it into that
// block. To reduce means into = from ∘ into, as in MPI_Reduce_local, so `from` must hold the
// contributions of lower ranks. In the schedule, the ranges of `into` follow those of `from`.
struct Step {
  std::uint32_t first_range = 0;
  std::uint32_t from_count = 0;
  std::uint32_t into_count = 0;
  bool reduces = false;
};

// The part of one rank in a collective, round by round.
//
// All messages of a round are in flight together. When they have arrived, the steps of the round
// run in order. Within a round, no two messages write the same block, and no message writes a block
// that another message sends. Rounds are local to a rank: two ranks are synchronized only by
// messages between them. Round i is the same stage of the algorithm on every rank, so that `beside`
// can pair rounds and figures can show them next to each other. Therefore, a rank may have empty
// rounds.
//
// Buffers consist of blocks. The collective defines the number of blocks (collectives/), and the
// call defines their sizes in bytes (mpi/data/binding, proofs/lockstep).
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

  // Scratch block i has the size of the i-th of these blocks of send or recv. So a schedule is also
  // valid for blocks of different sizes.
  const BlockRanges& scratch() const { return scratch_; }

  // Prescribes how to send the messages that are `whole` so far. Messages of one round with the
  // same peer and channel stay `whole` instead of `published`.
  void set_travel(Travel travel);

  // Whether any messages are published.
  bool publishes() const;
  // Whether two messages of this schedule have the same blocks. One copy of published blocks serves
  // all their readers.
  bool have_same_blocks(const Message& one, const Message& other) const;

  // The number of bytes that this schedule occupies.
  std::size_t memory() const;

 private:
  friend class ScheduleBuilder;

  // The indices of a round's first entries. Its entries end where those of the next round begin.
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

// The number of MPI messages of which `message` consists.
std::int64_t pieces(const Schedule& schedule, const Message& message);

}  // namespace toccata
