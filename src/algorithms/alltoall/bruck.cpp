// All-to-all by Bruck, the index algorithm: every block moves up by the powers of two in its
// distance. In each round, all blocks with the same power in their distance move together.
// [oliviero2023, section II-A; bruck1997, section III]   rounds ⌈log2 p⌉
//               cost ⌈log2 p⌉·α + ⌈log2 p⌉/2·n·β
//               copies p + 2·(blocks sent) + 2p, with at most ⌈log2 p⌉·⌊p/2⌋ blocks sent
//
//   p = 4, the data of rank 0 (a); ab is the block from a to b. Blocks in place i go i ranks up
//     at first             aa ab ac ad
//     places 1 3 go up 1   aa da ac dc
//     places 2 3 go up 2   aa da ca ba     place i now has the block from rank -i
//     at last              aa ba ca da
//
// At first, blocks are rotated by the rank into recv. They are packed and unpacked in every round,
// and put in order through scratch at the end. The other variants avoid some of these copies.

#include "patterns/circulant.h"
#include "patterns/digits.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const Circulant ranks{p, rank};
  const BlockRange in_order = recv(0, p);
  const BlockRange scratch = schedule.scratch({in_order});

  schedule.round().copy(circular(Buffer::send, rank, p, p), {in_order});
  for_each_hop(p, 2, [&](const Hop& hop) {
    const BlockRanges moving = hop.blocks(Buffer::recv);
    const int count = hop.count();
    const BlockRange packed{Buffer::scratch, 0, count};
    const BlockRange arrived{Buffer::scratch, count, count};
    schedule.copy(moving, {packed})
        .round()
        .send(ranks.above(hop.distance()), packed)
        .recv(ranks.below(hop.distance()), arrived)
        .copy({arrived}, moving);
  });
  schedule.copy(in_order, scratch).copy({scratch}, circular(Buffer::recv, rank, p, p, -1));
}

static Cost claim(const Shape& shape) {
  const Hops hops(shape.p, 2);
  return {.rounds = hops.number,
          .messages = hops.number,
          .sent = hops.blocks,
          .copied = shape.p + 2 * hops.blocks + 2 * std::int64_t{shape.p}};
}

extern const Algorithm bruck{
    .name = "bruck",
    .collective = toccata::alltoall,
    .summary = "⌈log2 p⌉ rounds; blocks are rotated before and after; for short messages",
    .citation = "oliviero2023, section II-A",
    .claim = claim,
    .blocks_alike = true,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
