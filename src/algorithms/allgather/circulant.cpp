// Allgather as p broadcasts at the same time, all by bcast/circulant: n segments of every block in
// n - 1 + ⌈log2 p⌉ rounds. With one segment, a rank sends the run of blocks that ends with its own.
// This is Bruck's allgather, except that distances halve from p on instead of doubling from 1 on.
// [traff2024; with one segment: traff2024b]
//                rounds n - 1 + ⌈log2 p⌉   cost (n - 1 + ⌈log2 p⌉)·α + (p-1)/p·m·β for m bytes
//
//   p = 5, what rank 0 holds    A . . . .    over 1: A . . . E    2: A . . D E    3: A B C D E
//
// Segments are for allgatherv: a block that is much longer than the others is forwarded in pieces,
// so that its rounds overlap.

#include "patterns/circulant.h"

#include "patterns/segment_pattern.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static const Parameter segments =
    number("segments", "n: segments per block, for blocks of different sizes", 1, 64, 1, {1, 3});

static void in_runs(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const Skips skips(shape.p);
  for (int k = 0; k < skips.rounds(); ++k) {
    const int to = ranks.above(skips[k]), from = ranks.below(skips[k]);
    const int count = skips[k + 1] - skips[k];
    const auto run_up_to = [&](std::int64_t last) {
      return circular(Buffer::recv, last - count + 1, count, shape.p);
    };
    schedule.round().send(to, run_up_to(rank)).recv(from, run_up_to(from));
  }
}

static void in_segments(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const SegmentPattern pattern(shape.p, shape.parts);
  std::vector<std::vector<int>> received;  // by the distance of a rank above the root
  for (int above = 0; above < shape.p; ++above) received.push_back(pattern.received(above));
  // The segments that `to` receives in a round: at most one of each other rank's block.
  const auto segments_for = [&](int to, int round) {
    BlockRanges blocks;
    for (int root = 0; root < shape.p; ++root) {
      const int segment = pattern.segment(received[wrap(to - root, shape.p)], round);
      if (segment >= 0 && root != to) append(blocks, recv(root * shape.parts + segment));
    }
    return blocks;
  };
  for (int round = 0; round < pattern.rounds(); ++round) {
    const int to = ranks.above(pattern.distance(round));
    const int from = ranks.below(pattern.distance(round));
    schedule.round();
    if (const BlockRanges out = segments_for(to, round); !out.empty()) schedule.send(to, out);
    if (const BlockRanges in = segments_for(rank, round); !in.empty()) schedule.recv(from, in);
  }
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round().copy(send(0, shape.parts), recv(rank * shape.parts, shape.parts));
  shape.parts == 1 ? in_runs(shape, rank, schedule) : in_segments(shape, rank, schedule);
}

static Cost claim(const Shape& shape) {
  const int rounds = shape.p > 1 ? shape.parts - 1 + ceil_log2(shape.p) : 0;
  return {.rounds = rounds,
          .messages = rounds,
          .sent = std::int64_t{shape.parts} * (shape.p - 1),
          .copied = shape.parts};
}

extern const Algorithm circulant{
    .name = "circulant",
    .collective = toccata::allgather,
    .summary = "n-1 + ⌈log2 p⌉ rounds for n segments per block, the minimum",
    .citation = "traff2024",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
