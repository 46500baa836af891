// Exclusive scan along the ranks in segments: exscan/linear for each segment, so that all links are
// busy at the same time.
// [sanders2006]   rounds p + s - 2   cost (p + s - 2)·(α + n/s·(β + γ))
//
//   p = 3, segments A B    0>1 A    0>1 B 1>2 A    1>2 B

#include "schedule/combinators.h"
#include "writing/flat.h"

namespace toccata::algorithms::exscan {

static const Parameter segments =
    number_of_segments("segments, which follow each other along the ranks", {1, 3, 16});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(
      segmented(Flat(toccata::exscan, "linear").schedule(shape.p, rank), 1, shape.parts, 1));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  const int inside = shape.p > 2 ? shape.parts : 0;
  return {.rounds = shape.p + shape.parts - 2,
          .messages = shape.parts,
          .sent = shape.parts,
          .copied = inside,
          .reduced = inside};
}

extern const Algorithm pipeline{
    .name = "pipeline",
    .collective = toccata::exscan,
    .summary = "pipelined segments from rank to rank; for very long messages and few ranks",
    .citation = "sanders2006",
    .claim = claim,
    .parameters = {segments},
    .ordered = true,
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::exscan
