// All-to-all by Bruck without the last rotation: blocks go down instead of up. Place rank + i holds
// a block that still has to go down by i ranks. So a block is in its final place when it arrives at
// its destination.
// [oliviero2023, section II-C; traff2014, section 3]   rounds ⌈log2 p⌉
//               cost ⌈log2 p⌉·α + ⌈log2 p⌉/2·n·β   copies p + (blocks sent)
//
//   p = 4, the data of rank 1 (b); ab is the block from a to b. Blocks in place 1 + i go i down
//     at first               bc bb ba bd
//     places 2 0 go down 1   cd bb cb bd
//     places 3 0 go down 2   ab bb cb db
//
// A derived datatype sends blocks from their places, so nothing is packed. Received blocks wait in
// scratch while the old blocks in their places are being sent. (The paper counts reading through
// the datatype as another copy of every sent block.)

#include "patterns/circulant.h"
#include "patterns/digits.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const Circulant ranks{p, rank};
  schedule.scratch({recv(0, Hops(p, 2).most_blocks)});

  schedule.round().copy(circular(Buffer::send, rank, p, p, -1), circular(Buffer::recv, rank, p, p));
  for_each_hop(p, 2, [&](const Hop& hop) {
    const BlockRanges moving = circular(hop.blocks(Buffer::recv), rank, p);
    const BlockRange arrived{Buffer::scratch, 0, hop.count()};
    schedule.round()
        .send(ranks.below(hop.distance()), moving, Travel::datatype)
        .recv(ranks.above(hop.distance()), arrived, Travel::datatype)
        .copy({arrived}, moving);
  });
}

static Cost claim(const Shape& shape) {
  const Hops hops(shape.p, 2);
  return {.rounds = hops.number,
          .messages = hops.number,
          .sent = hops.blocks,
          .copied = shape.p + hops.blocks};
}

extern const Algorithm bruck_modified{
    .name = "bruck_modified",
    .collective = toccata::alltoall,
    .summary = "⌈log2 p⌉ rounds with derived datatypes, without final rotation and packing",
    .citation = "oliviero2023, section II-C",
    .claim = claim,
    .blocks_alike = true,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
