// Reduce of n segments in n - 1 + ⌈log2 p⌉ rounds, the minimum: bcast/circulant in reverse.
// [traff2024]   rounds n - 1 + ⌈log2 p⌉   cost rounds·(α + m/n·(β + γ)) for m bytes
//
//   p = 5, root 0, n = 2, segments A B
//   over 3: 2>4 A 3>0 B 4>1 B    2: 1>4 A 2>0 B    1: 1>0 B 4>3 A    3: 3>0 A
//
// Contributions arrive in any order, so the order of the ranks is not kept.

#include "patterns/segment_pattern.h"
#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce {

static const Parameter segments =
    number_of_segments("n: segments; every rank forwards one in every round", {1, 4, 11});

static const Algorithm& spreading() { return *find_algorithm(toccata::bcast, "circulant"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int rounds = SegmentPattern(shape.p, shape.parts).rounds();
  schedule.then(collecting(spreading().schedule(shape, rank), rounds, 0,
                           rank == shape.root ? shape.parts : 0));
}

static Cost claim(const Shape& shape) {
  const int rounds = shape.p > 1 ? shape.parts - 1 + ceil_log2(shape.p) : 0;
  const int sent = shape.p > 1 ? shape.parts : 0;
  return {
      .rounds = rounds, .messages = sent, .sent = sent, .copied = shape.parts, .reduced = rounds};
}

extern const Algorithm circulant{
    .name = "circulant",
    .collective = toccata::reduce,
    .summary = "n-1 + ⌈log2 p⌉ rounds for n segments, the minimum; for long messages",
    .citation = "traff2024",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
