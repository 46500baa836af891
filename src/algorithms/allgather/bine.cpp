// Allgather over a Bine butterfly: in every round, two ranks swap their data, over distances that
// halve and alternate between both directions. These are a third shorter than in recursive
// doubling, and most data go to neighbours. If p is not a power of two, ranks are folded in pairs
// first, and unfolded at the end.
// [desensi2025; desensi2024]   rounds log2 p, or ⌊log2 p⌋ + 2
//                              cost rounds·α + (p-1)/p·n·β, twice that for folded pairs
//
//   p = 8, swaps    0-3 1-6 2-5 4-7    0-7 1-2 3-4 5-6    0-1 2-3 4-5 6-7
//   rank 0 has      A . . D . . . .    A . . D E . . H    all
//
// When even ranks swap with a rank above, odd ranks swap with a rank below. After the swap over
// distance j, a rank has every 2^(j+1)th block, counted from its own and from that of its last
// peer. The paper permutes blocks so that they are contiguous; here, two strided ranges describe
// them.

#include "patterns/bine.h"

#include "patterns/halving.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const int leaves = cube.leaves(), leaf = cube.leaf(rank);
  const bool idle = rank != cube.owner(leaf);
  const auto peer = [&](int of, int j) { return bine_peer(of, j, leaves); };
  const auto held = [&](int by, int j) {
    const InterleavedHalves every{cube};
    if (2 << j > leaves) return every(by, leaves);
    BlockRanges blocks = every(by, 2 << j);
    for (const BlockRange& each : every(peer(by, j), 2 << j)) blocks.push_back(each);
    return blocks;
  };

  fold_blocks(cube, rank, schedule);
  for (int j = floor_log2(leaves) - 1; j >= 0; --j) {
    schedule.round();
    if (idle) continue;
    const int other = peer(leaf, j);
    schedule.send(cube.owner(other), held(leaf, j + 1)).recv(cube.owner(other), held(other, j + 1));
  }
  unfold_blocks(cube, rank, schedule);
}

// No paper has a closed form for folded pairs.
static std::optional<Cost> claim(const Shape& shape) {
  if (!is_power_of_two(shape.p)) return {};
  const int rounds = floor_log2(shape.p);
  return Cost{.rounds = rounds, .messages = rounds, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::allgather,
    .summary = "log2 p rounds over short distances; most data go to the nearest ranks; for any p",
    .citation = "desensi2025",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
