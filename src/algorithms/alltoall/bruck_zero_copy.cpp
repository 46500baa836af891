// All-to-all by Bruck without local copies: the first hop of a block starts in send, and its last
// hop ends at its place in recv. Between rounds, it stays where it arrived.
// [oliviero2023, section II-D; traff2014, section 4]   rounds ⌈log2 p⌉
//               cost ⌈log2 p⌉·α + ⌈log2 p⌉/2·n·β   copies 1 block, the rank's own
//
// Block i goes down by i ranks, by the powers of two in i, as in bruck_modified. It arrives in the
// round of one bit of i, and leaves in the round of the next bit. In that round, another rank's
// block i arrives, so its place must be different.
//
//   i = 0 1 1 0 1       leaves send in round 0, waits in an array from 0 to 2, in another from 2
//       4 3 2 1 0       to 3, and arrives in recv in round 3
//
// The papers alternate between recv and one array, by the parity of the remaining bits. But numbers
// of even parity (0 3 5 6 9 10 12 15 ...) are not strided ranges, so the schedule would have O(p)
// entries. Therefore a block that waits from round k to round m is in the array numbered by the
// highest bit in which k and m differ. This bit is 0 in k and 1 in m, so the block is in another
// array from m on. All blocks with the same rounds of arrival and departure are one strided range.
// There are ⌈log2 ⌈log2 p⌉⌉ arrays: 1 for up to 4 ranks, 2 for up to 16, 3 for up to 256, and 4 for
// up to 65 536.

#include "patterns/circulant.h"
#include "patterns/digits.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const int rounds = ceil_log2(p);
  const Circulant ranks{p, rank};
  for (int i = 0; i < ceil_log2(std::max(rounds, 1)); ++i) schedule.scratch({recv(0, p)});
  const auto waiting = [&](BlockRanges blocks, int from_round, int to_round) {
    const int array = ceil_log2((from_round ^ to_round) + 1) - 1;
    for (BlockRange& each : blocks) each.first += array * p;
    return blocks;
  };

  schedule.round().copy(send(rank), recv(rank));
  for (int round = 0; round < rounds; ++round) {
    BlockRanges leaving, arriving;
    const auto add = [](BlockRanges& all, const BlockRanges& more) {
      for (const BlockRange& each : more) append(all, each);
    };
    // The blocks that arrived in round `last` (-1: they have not moved yet), leave in this round,
    // and leave again in round `next` (= `rounds`: never). Their bits below `last` and above `next`
    // have any values.
    for (int last = -1; last < round; ++last)
      for (int next = round + 1; next <= rounds; ++next) {
        const int first =
            (last < 0 ? 0 : 1 << last) + (1 << round) + (next < rounds ? 1 << next : 0);
        const int stride = 2 << next;
        const BlockRanges moving =
            runs_below(Buffer::scratch, first, last < 0 ? 1 : 1 << last, stride, p);
        const auto count = static_cast<int>(blocks(moving));
        add(leaving, last < 0 ? circular(Buffer::send, rank - first, count, p, -stride)
                              : waiting(moving, last, round));
        add(arriving, next == rounds ? circular(Buffer::recv, rank + first, count, p)
                                     : waiting(moving, round, next));
      }
    schedule.round()
        .send(ranks.below(1 << round), leaving, Travel::datatype)
        .recv(ranks.above(1 << round), arriving, Travel::datatype);
  }
}

static Cost claim(const Shape& shape) {
  const Hops hops(shape.p, 2);
  return {.rounds = hops.number, .messages = hops.number, .sent = hops.blocks, .copied = 1};
}

extern const Algorithm bruck_zero_copy{
    .name = "bruck_zero_copy",
    .collective = toccata::alltoall,
    .summary = "⌈log2 p⌉ rounds with derived datatypes, without copies between rounds",
    .citation = "oliviero2023, section II-D",
    .claim = claim,
    .blocks_alike = true,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
