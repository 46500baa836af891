// All-to-all by Bruck in any radix r: a block moves by the digits of its distance in base r, with
// at most r-1 rounds per digit. A larger radix sends fewer bytes in more rounds; radix p is direct
// exchange.
// [oliviero2023, section II-B; bruck1997, section III]
//               rounds Σ over the ⌈logr p⌉ digits of (values of the digit) - 1 <= (r-1)·⌈logr p⌉
//               cost rounds·α + (r-1)/r·⌈logr p⌉·n·β   copies 2p + 2·(blocks sent)
//
//   p = 6, r = 3, places that go up    by 1: 1 4    by 2: 2 5    by 3: 3 4 5
//
// Blocks wait in scratch, and are rotated on their way into it and out of it.

#include "patterns/circulant.h"
#include "patterns/digits.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::alltoall {

static const Parameter radix =
    number("radix", "r: base in which distances are written; at most the number of ranks", 2,
           1 << 20, 2, {2, 3, 4, 5, 8});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const Circulant ranks{p, rank};
  const int r = shape.parameters[radix];
  const BlockRange waiting = schedule.scratch({recv(0, p)});
  const BlockRange packing = schedule.scratch({recv(0, Hops(p, r).most_blocks)});
  const BlockRange arriving = schedule.scratch({recv(0, packing.count)});

  schedule.round().copy(circular(Buffer::send, rank, p, p), {waiting});
  for_each_hop(p, r, [&](const Hop& hop) {
    const BlockRanges moving = hop.blocks(Buffer::scratch);
    const int count = hop.count();
    const BlockRange packed{Buffer::scratch, packing.first, count};
    const BlockRange arrived{Buffer::scratch, arriving.first, count};
    schedule.copy(moving, {packed})
        .round()
        .send(ranks.above(hop.distance()), packed)
        .recv(ranks.below(hop.distance()), arrived)
        .copy({arrived}, moving);
  });
  schedule.copy({waiting}, circular(Buffer::recv, rank, p, p, -1));
}

static Cost claim(const Shape& shape) {
  const Hops hops(shape.p, shape.parameters[radix]);
  return {.rounds = hops.number,
          .messages = hops.number,
          .sent = hops.blocks,
          .copied = 2 * std::int64_t{shape.p} + 2 * hops.blocks};
}

// With one rank, nothing is sent with any radix, so the smallest radix is also accepted.
static std::string impossible(const Shape& shape) {
  const int r = shape.parameters[radix];
  if (r <= std::max(shape.p, 2)) return "";
  return "needs at least " + std::to_string(r) + " ranks for radix " + std::to_string(r);
}

extern const Algorithm bruck_radix{
    .name = "bruck_radix",
    .collective = toccata::alltoall,
    .summary = "at most (r-1)·⌈logr p⌉ rounds; a larger radix sends fewer blocks in more rounds",
    .citation = "oliviero2023, section II-B",
    .claim = claim,
    .parameters = {radix},
    .blocks_alike = true,
    .impossible = impossible,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
