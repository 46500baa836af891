// Broadcast of n segments in n - 1 + ⌈log2 p⌉ rounds, the minimum. In every round, every rank sends
// one segment and receives one, over distances that halve from p on and then repeat.
// [traff2024]   rounds n - 1 + ⌈log2 p⌉   cost (n - 1 + ⌈log2 p⌉)·(α + m/n·β) for m bytes
//
//   p = 5, root 0, n = 2, segments A B
//   over 3: 0>3 A    1: 0>1 B 3>4 A    2: 4>1 A 0>2 B    3: 4>2 A 0>3 B 1>4 B
//
// patterns/segment_pattern.h determines the segments.

#include "patterns/circulant.h"

#include "patterns/segment_pattern.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number_of_segments("n: segments; every rank forwards one in every round", {1, 4, 11});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const SegmentPattern pattern(shape.p, shape.parts);
  const int self = ranks.below(shape.root);
  const std::vector<int> sent = pattern.sent(self), received = pattern.received(self);
  for (int round = 0; round < pattern.rounds(); ++round) {
    schedule.round();
    const int distance = pattern.distance(round);
    const int out = pattern.segment(sent, round), in = pattern.segment(received, round);
    const int to = ranks.above(distance), from = ranks.below(distance);
    if (out >= 0 && to != shape.root) schedule.send(to, recv(out));
    if (in >= 0 && rank != shape.root) schedule.recv(from, recv(in));
  }
}

// The root sends a segment in every round.
static Cost claim(const Shape& shape) {
  const int rounds = shape.p > 1 ? shape.parts - 1 + ceil_log2(shape.p) : 0;
  return {.rounds = rounds, .messages = rounds, .sent = rounds};
}

extern const Algorithm circulant{
    .name = "circulant",
    .collective = toccata::bcast,
    .summary = "n-1 + ⌈log2 p⌉ rounds for n segments, the minimum; for long messages",
    .citation = "traff2024",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
