#pragma once

#include <initializer_list>
#include <span>

#include "schedule/schedule.h"

namespace toccata {

// Schedules composed of schedules, each for one rank. Hierarchical, multi-lane and torus algorithms
// are compositions of these.

// All rounds of `first`, then all of `second`.
//
//   first  |r0|r1|      second |s0|      then |r0|r1|s0|
Schedule then(const Schedule& first, const Schedule& second);

// The same, but `second` uses the scratch of `first`; its own scratch follows.
Schedule going_on(const Schedule& first, const Schedule& second);

// Both schedules at the same time: round i of the result contains round i of both. Copies of `one`
// come before those of `other`, and neither may write blocks that the other uses in that round.
// `other` gets the channels after those of `one`, so messages between the same two ranks cannot be
// confused. On all ranks, the parts of `beside` must have the same numbers of channels.
//
//   one |r0|r1|    other |s0|    beside |r0 s0|r1|
Schedule beside(const Schedule& one, const Schedule& other);
// The same for any number of schedules.
Schedule beside(std::span<const Schedule> all);

// Several schedules at the same time on the same channels. It is like `beside`, for parts whose
// messages between two ranks have the same order on both ranks. Each starts `delay` rounds after
// the previous one.
//
//   all |r0|r1| and |s0|s1|, delay 1    abreast |r0|r1 s0|s1|
Schedule abreast(std::span<const Schedule> all, int delay = 0);

// The schedule's messages, without their blocks: a broadcast becomes a signal from the root to all
// ranks.
Schedule signals(const Schedule& schedule);

// The schedule of `rank` without all messages to `root`, which needs none because it has the
// result: in a broadcast, its buffer is only read.
//
//   allgather of A B C after a scatter from rank 0    0<>1 0<>2 1<>2    becomes    0>1 0>2 1<>2
Schedule without_messages_to(int root, int rank, const Schedule& schedule);

// Runs `one`, which has `blocks` blocks, for each of `number` segments of `blocks` blocks. Each
// segment starts `delay` rounds after the previous one.
Schedule segmented(const Schedule& one, int blocks, int number, int delay);

// Maps the blocks of an inner collective to the blocks of the outer one.
class BlockMap {
 public:
  // Inner block i consists of the `width` outer blocks from first + i * stride on.
  static BlockMap affine(Buffer buffer, int first, int stride = 1, int width = 1);
  // Inner block i belongs to inner rank i / width, which is our rank permutation[i / width]: it is
  // block i % width of that rank. The permutation must live as long as the map.
  static BlockMap permuted(Buffer buffer, std::span<const int> permutation, int width = 1);
  // Inner block i consists of the outer blocks table[i].
  static BlockMap table(std::span<const BlockRanges> table = {});
  static BlockMap table(std::initializer_list<BlockRanges> table) {
    return BlockMap::table(std::span(table.begin(), table.size()));
  }
  // Adds the outer blocks of the next inner block of a table.
  void add(std::span<const BlockRange> ranges);
  void add(const BlockRange& range) { add(std::span(&range, 1)); }

  // Appends the outer blocks of `inner`, in order.
  void map(const BlockRange& inner, BlockRanges& outer) const;
  // The number of outer blocks of an inner block.
  std::int64_t width(int inner_block) const;
  // The number of outer blocks per inner block, if it is the same for all; otherwise 0.
  int uniform_width() const { return affine_.count; }

 private:
  std::span<const BlockRange> of(int inner_block) const;

  BlockRange affine_;  // of inner block 0; if a table is not affine, only the count is valid
  std::int32_t stride_ = 1;
  bool is_affine_ = false;  // for a table: its blocks are equally spaced runs
  std::span<const int> permutation_;
  std::int32_t blocks_a_rank_ = 1;
  // The table: the ranges of all inner blocks; the index of the first range of each block, followed
  // by the end.
  BlockRanges ranges_;
  std::vector<std::uint32_t> first_;
};

// For a rank without a recv buffer: the schedule uses scratch instead of blocks of recv. The
// scratch blocks have the sizes of the blocks that the map names. Block `stays` (if not -1) remains
// in recv, and becomes recv block 0.
Schedule in_scratch(const Schedule& schedule, const BlockMap& like, int stays = -1);

// The location of an inner collective's scratch blocks: in our scratch, or at home. At home, each
// scratch block is the (mapped) block from which it takes its size; that block must not be in use
// by anything else.
enum class Scratch : std::uint8_t { apart, at_home };

// Embeds `inner`, a collective among some of the ranks: its rank i is our rank group[i], and the
// maps locate its send and recv blocks. `inner` is the schedule of our own place in the group; a
// rank outside the group passes Schedule{}. An inner block may have no outer block. Messages that
// lose all their blocks, and copies of a block to itself, are dropped.
//
//   ring of 2 on group {1, 3}, recv block i -> recv blocks {2i, 2i+1}:
//   inner rank 0 sends block 0 to 1        outer rank 1 sends blocks 0, 1 to 3
Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, Scratch scratch = Scratch::apart);

// The same, to continue a schedule with `first_scratch` scratch blocks. The maps may name these
// blocks, and the scratch of `inner` follows them. Combine both schedules with `going_on`.
Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, int first_scratch);

// The same for the group of all our ranks, in their order.
Schedule on(const Schedule& inner, const BlockMap& send, const BlockMap& recv,
            Scratch scratch = Scratch::apart);

// The same algorithm with exchanged roles: our rank permutation[i] takes the role of rank i. In the
// buffers listed in `block_a_rank`, `width` consecutive blocks belong to each rank and move with
// it. Pass the schedule of the rank whose role we take.
Schedule relabel(std::span<const int> permutation, const Schedule& schedule,
                 std::initializer_list<Buffer> block_a_rank, int width = 1);

}  // namespace toccata
