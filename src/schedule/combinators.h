#pragma once

#include <initializer_list>
#include <span>

#include "schedule/schedule.h"

namespace toccata {

// Schedules made of schedules, each for one rank. Hierarchical, multi-lane and torus algorithms
// are compositions of these rather than new loops.

// All rounds of `first`, then all of `second`.
//
//   first  |r0|r1|      second |s0|      then |r0|r1|s0|
Schedule then(const Schedule& first, const Schedule& second);

// The same, where `second` works in the scratch of `first`, and its own comes behind that.
Schedule going_on(const Schedule& first, const Schedule& second);

// Both at the same time: round i of the result is round i of both. Copies of `one` come before
// those of `other`, and neither may write what the other touches in that round. `other` takes the
// channels behind those of `one`, so messages between the same two ranks cannot be mistaken; all
// ranks must give `beside` parts with the same number of channels.
//
//   one |r0|r1|    other |s0|    beside |r0 s0|r1|
Schedule beside(const Schedule& one, const Schedule& other);
// The same for any number of them.
Schedule beside(std::span<const Schedule> all);

// Several at the same time on the same channels: like `beside`, for parts whose messages between
// two ranks come in the same order on both. Each begins `delay` rounds after the one before.
//
//   all |r0|r1| and |s0|s1|, delay 1    abreast |r0|r1 s0|s1|
Schedule abreast(std::span<const Schedule> all, int delay = 0);

// Its messages without their blocks: of a broadcast is left that ranks hear of the root.
Schedule signals(const Schedule& schedule);

// `one`, of `blocks` blocks, for each of `number` segments of as many blocks, one segment `delay`
// rounds after the other.
Schedule segmented(const Schedule& one, int blocks, int number, int delay);

// Where the blocks of an inner collective lie among the blocks of the outer one.
class BlockMap {
 public:
  // Inner block i is the `width` outer blocks from first + i * stride on.
  static BlockMap affine(Buffer buffer, int first, int stride = 1, int width = 1);
  // Inner block i belongs to inner rank i / width, which is our rank permutation[i / width]: it is
  // that one's block i % width. The permutation must live as long as the map.
  static BlockMap permuted(Buffer buffer, std::span<const int> permutation, int width = 1);
  // Inner block i is the outer blocks table[i].
  static BlockMap table(std::span<const BlockRanges> table = {});
  static BlockMap table(std::initializer_list<BlockRanges> table) {
    return BlockMap::table(std::span(table.begin(), table.size()));
  }
  // Where the next inner block of a table lies.
  void add(std::span<const BlockRange> ranges);
  void add(const BlockRange& range) { add(std::span(&range, 1)); }

  // Appends the outer blocks of `inner`, in order.
  void map(const BlockRange& inner, BlockRanges& outer) const;
  // How many outer blocks an inner block is.
  std::int64_t width(int inner_block) const;
  // The same where it is the same for all of them, else 0.
  int uniform_width() const { return affine_.count; }

 private:
  std::span<const BlockRange> of(int inner_block) const;

  BlockRange affine_;  // of inner block 0; of a table that is not affine its count alone
  std::int32_t stride_ = 1;
  bool is_affine_ = false;  // of a table: its blocks are runs, equally far from each other
  std::span<const int> permutation_;
  std::int32_t blocks_a_rank_ = 1;
  // The table: the ranges of all inner blocks, and where each one's begin, and the end.
  BlockRanges ranges_;
  std::vector<std::uint32_t> first_;
};

// For a rank that has no recv: what the schedule would do with blocks of recv it does with scratch,
// which is like the blocks that the map leads to. One block may stay: it becomes recv block 0.
Schedule in_scratch(const Schedule& schedule, const BlockMap& like, int stays = -1);

// Where the scratch blocks of an inner collective lie: in scratch of ours, or each in the very
// block that it is like, mapped; there, inner send and recv blocks of others must not be in use
// yet.
enum class Scratch : std::uint8_t { apart, at_home };

// `inner`, a collective among some of the ranks, as a part of ours: its rank i is our rank
// group[i], its send and recv blocks lie where the maps say. `inner` is the schedule of our own
// place in the group; a rank outside the group contributes Schedule{}. An inner block may be no
// outer block at all: messages left without a block are left out, and so are copies of a block to
// itself.
//
//   ring of 2 on group {1, 3}, recv block i -> recv blocks {2i, 2i+1}:
//   inner rank 0 sends block 0 to 1        outer rank 1 sends blocks 0, 1 to 3
Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, Scratch scratch = Scratch::apart);

// The same as a part of a schedule with `first_scratch` scratch blocks, to which the maps may lead:
// the scratch of `inner` comes behind them. To be `going_on` with.
Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, int first_scratch);

// The same among all our ranks.
Schedule on(const Schedule& inner, const BlockMap& send, const BlockMap& recv,
            Scratch scratch = Scratch::apart);

// The same algorithm with the ranks exchanged: our rank permutation[i] plays rank i. In the buffers
// named `block_a_rank`, as many blocks in a row belong to each rank as `width` says, and move with
// it. Call it with the schedule of the rank that we play.
Schedule relabel(std::span<const int> permutation, const Schedule& schedule,
                 std::initializer_list<Buffer> block_a_rank, int width = 1);

}  // namespace toccata
