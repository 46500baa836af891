// All-to-all over a Bine butterfly: in every round, two ranks swap half of their blocks. The
// distances are a third shorter than powers of two, so fewer blocks leave a group of neighbours. A
// block takes part in the swaps that lead to its destination, the shortest first, and keeps its
// place. The bits of i select the swaps of place i.
// [desensi2025]   rounds log2 p   cost log2 p·α + log2 p/2·n·β   copies 2p + blocks sent
//
//   p = 4, ab is what a sends to b     rank 0 (a)       1 (b)          2 (c)          3 (d)
//     at first                         aa ab ad ac      bb ba bc bd    cc cd cb ca    ...
//     places 1 3 between 0-1 2-3       aa ba ad bd      bb ab bc ac    cc dc cb db    ...
//     places 2 3 between 0-3 1-2       aa ba da ca      bb ab cb db    cc dc bc ac    ...
//
// At the end, the source of the block at place i follows from the same swaps in reverse order. The
// swaps do not commute, so no range expresses the order of the blocks: each block has its own
// range. This takes 40 KB for 1024 ranks, which is the maximum.

#include "patterns/bine.h"

#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

constexpr int most_ranks = 1024;

// The p blocks in the order of the places: those for the ranks to which the swaps of a place lead
// from `rank`. With `leading_to_it`, those of the ranks from which they lead to `rank`, found by
// the same swaps in reverse order.
static BlockRanges by_place(Buffer buffer, int p, int rank, bool leading_to_it) {
  const int swaps = floor_log2(p);
  BlockRanges blocks;
  for (int place = 0; place < p; ++place) {
    int at = rank;
    for (int i = 0; i < swaps; ++i) {
      const int swap = leading_to_it ? swaps - 1 - i : i;
      if ((place >> swap & 1) != 0) at = bine_peer(at, swap, p);
    }
    append(blocks, {buffer, at});
  }
  return blocks;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const BlockRange places = schedule.scratch({recv(0, p)});
  const BlockRange arrived = schedule.scratch({recv(0, p / 2)});

  schedule.round().copy(by_place(Buffer::send, p, rank, false), {places});
  for (int swap = 0; 1 << swap < p; ++swap) {
    const int peer = bine_peer(rank, swap, p);
    const BlockRange moving{Buffer::scratch, 1 << swap, 1 << swap, 2 << swap, p >> (swap + 1)};
    schedule.round().send(peer, moving).recv(peer, arrived).copy({arrived}, {moving});
  }
  schedule.copy({places}, by_place(Buffer::recv, p, rank, true));
}

static Cost claim(const Shape& shape) {
  const int rounds = floor_log2(shape.p);
  const std::int64_t sent = std::int64_t{rounds} * (shape.p / 2);
  return {.rounds = rounds, .messages = rounds, .sent = sent, .copied = 2 * shape.p + sent};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::alltoall,
    .summary = "log2 p rounds over short distances, with half of the blocks in each",
    .citation = "desensi2025",
    .claim = claim,
    .blocks_alike = true,
    .impossible =
        [](const Shape& shape) {
          return std::string(is_power_of_two(shape.p) && shape.p <= most_ranks
                                 ? ""
                                 : "needs a power of two ranks, at most 1024");
        },
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
