#pragma once

#include "patterns/folded_cube.h"
#include "patterns/hypercube.h"

namespace toccata {

// Reduce-scatter with vectors that halve and distances that double [rabenseifner2004]. It is the
// first half of three algorithms. Two leaves swap halves of the blocks for which they are
// responsible, and each is then responsible for one half. Neighbours come first, so the order of
// the ranks is kept and the expression is the standard one.
//
//   leaves   0        1        2        3
//            ABCD     ABCD     ABCD     ABCD
//            AB       CD       AB       CD        0-1 2-3
//            A        C        B        D         0-2 1-3
//
// Vectors have `blocks` blocks, as send has. kept(leaf, size) are the blocks for which a leaf is
// responsible among `size` consecutive leaves. They are numbered as if the vector began at recv
// block 0. They are one half of kept(leaf, size / 2); the other half belongs to the peer.
// kept(leaf, 1) contains all.
template <typename Kept>
class Halving {
 public:
  // `room` is the location of a vector that may be written: a part of recv, or scratch.
  Halving(const FoldedCube& cube, int rank, int blocks, const BlockRange& room, const Kept& kept)
      : cube_(cube),
        rank_(rank),
        leaf_(cube.leaf(rank)),
        all_(recv(0, blocks)),
        room_(room),
        kept_(kept) {}

  bool idle() const { return rank_ != cube_.owner(leaf_); }
  // The peer at `distance` in the cube.
  int peer(int distance) const { return cube_.owner(Hypercube{leaf_}.across(distance)); }
  BlockRanges kept(int size) const { return kept_(leaf_, size); }
  // The blocks that this peer keeps among 2 · distance leaves.
  BlockRanges peer_keeps(int distance) const {
    return kept_(Hypercube{leaf_}.across(distance), 2 * distance);
  }
  // These blocks, in the vector that holds our reduced values.
  BlockRanges own(BlockRanges blocks) const { return in(own_, std::move(blocks)); }

  void write(ScheduleBuilder& schedule) {
    other_ = schedule.scratch({send(0, all_.count)});
    if (cube_.pairs() > 0) {
      schedule.round();
      const int twin = FoldedCube::twin(rank_);
      if (idle()) schedule.send(twin, send(0, all_.count));
      if (!idle() && cube_.in_pair(rank_)) {
        schedule.recv(twin, other_);
        take_in(twin, {all_}, schedule);
      }
    }
    for (int distance = 1; distance < cube_.leaves(); distance *= 2) {
      schedule.round();
      if (idle()) continue;
      const BlockRanges keep = kept(2 * distance);
      schedule.send(peer(distance), own(peer_keeps(distance)));
      schedule.recv(peer(distance), in(other_, keep));
      take_in(peer(distance), keep, schedule);
    }
  }

 private:
  static BlockRanges in(const BlockRange& vector, BlockRanges blocks) {
    for (BlockRange& range : blocks) {
      range.buffer = vector.buffer;
      range.first += vector.first;
    }
    return blocks;
  }

  // The same as in Operands, for some blocks of the vectors. Our blocks are in send until they must
  // be copied, or are reduced into received blocks.
  void take_in(int from, const BlockRanges& blocks, ScheduleBuilder& schedule) {
    const bool in_send = own_.buffer == Buffer::send;
    if (from < rank_) {
      if (in_send) schedule.copy(in(own_, blocks), in(room_, blocks));
      if (in_send) own_ = room_;
      schedule.reduce(in(other_, blocks), in(own_, blocks));
    } else {
      schedule.reduce(in(own_, blocks), in(other_, blocks));
      const BlockRange was_own = in_send ? room_ : own_;
      own_ = other_;
      other_ = was_own;
    }
  }

  FoldedCube cube_;
  int rank_, leaf_;
  BlockRange all_, room_;
  BlockRange own_ = send(0), other_;
  Kept kept_;
};

// Each of 2^k leaves ends with one of 2^k parts, and every half is contiguous. Leaf l ends with the
// part whose number is l with its bits reversed.
struct ContiguousHalves {
  int leaves;

  BlockRanges operator()(int leaf, int size) const {
    int first = 0;
    for (int bit = 1, half = leaves / 2; bit < size; bit *= 2, half /= 2)
      if ((leaf & bit) != 0) first += half;
    return {recv(first, leaves / size)};
  }
};

// The blocks of every size-th leaf: leaves whose numbers differ from ours by multiples of `size`.
//
//   p = 6, leaf 1, size 2    . . 2 3 . 5
struct InterleavedHalves {
  FoldedCube cube;

  BlockRanges operator()(int leaf, int size) const {
    const int first = leaf % size;
    const int pairs = cube.pairs();
    BlockRanges blocks = runs_below(Buffer::recv, 2 * first, 2, 2 * size, 2 * pairs);
    const int single = pairs + wrap(first - pairs, size);  // the first leaf of one rank
    for (const BlockRange& each : runs_below(Buffer::recv, single + pairs, 1, size, cube.p))
      blocks.push_back(each);
    return blocks;
  }
};

}  // namespace toccata
