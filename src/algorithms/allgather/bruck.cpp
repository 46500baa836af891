// Allgather by Bruck: in every round, each rank sends all its blocks to the rank `distance` below,
// and the distance doubles. It works for any p: the last round sends only the missing blocks.
// [bruck1997, section IV]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β   copies p+1 blocks
//
//   p = 3, scratch of      rank 0   rank 1   rank 2
//     at first             A . .    B . .    C . .
//     distance 1           A B .    B C .    C A .
//     distance 2           A B C    B C A    C A B     rank r holds block r + i in place i
//
// Blocks are collected in scratch, the own block first, so that every message is contiguous. At the
// end, they are rotated into recv. Without the rotation, they are received in recv directly. Then
// only the own block is copied, but a message may pass the end of the buffer and then consists of
// two pieces.

#include <algorithm>

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static const Parameter rotation =
    choice("rotation",
           "final: collect blocks in scratch and rotate them at the end; none: receive in place",
           {"final", "none"}, "none");

static void rotated(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const BlockRanges from_own_on = circular(Buffer::recv, rank, shape.p, shape.p);
  const BlockRange all = schedule.scratch(from_own_on);
  const auto scratch = [](int first, int count) {
    return BlockRange{Buffer::scratch, first, count};
  };

  schedule.round().copy(send(0), scratch(0, 1));
  for (int distance = 1; distance < shape.p; distance *= 2) {
    const int count = std::min(distance, shape.p - distance);
    schedule.round()
        .send(ranks.below(distance), scratch(0, count))
        .recv(ranks.above(distance), scratch(distance, count));
  }
  schedule.copy({all}, from_own_on);
}

static void in_place(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  schedule.round().copy(send(0), recv(rank));
  for (int distance = 1; distance < shape.p; distance *= 2) {
    const int count = std::min(distance, shape.p - distance);
    schedule.round()
        .send(ranks.below(distance), circular(Buffer::recv, rank, count, shape.p))
        .recv(ranks.above(distance), circular(Buffer::recv, rank + distance, count, shape.p));
  }
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  shape.parameters.is(rotation, "none") ? in_place(shape, rank, schedule)
                                        : rotated(shape, rank, schedule);
}

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p);
  return {.rounds = rounds,
          .messages = rounds,
          .sent = shape.p - 1,
          .copied = shape.parameters.is(rotation, "none") ? 1 : shape.p + 1};
}

extern const Algorithm bruck{
    .name = "bruck",
    .collective = toccata::allgather,
    .summary = "⌈log2 p⌉ rounds for any p; distance doubles in each; for short messages",
    .citation = "bruck1997, section IV",
    .claim = claim,
    .parameters = {rotation},
    .pattern = "bruck",
    .write = write,
};

}  // namespace toccata::algorithms::allgather
