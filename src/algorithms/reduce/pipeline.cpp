// Reduce along a chain in segments: bcast/pipeline in reverse.
// [watts1995]   rounds p + s - 2   cost (p + s - 2)·(α + n/s·(β + γ))
//
//   p = 4, root 0, segments A B    3>2 B    3>2 A 2>1 B    2>1 A 1>0 B    1>0 A
//
// The ranks are combined in cyclic order, but not from rank 0 on, so the order of the ranks is not
// kept.

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata::algorithms::reduce {

static const Parameter segments =
    number_of_segments("segments, which follow each other along the chain", {1, 3, 16});

static const Algorithm& spreading() { return *find_algorithm(toccata::bcast, "pipeline"); }

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.then(collecting(spreading().schedule(shape, rank), shape.p + shape.parts - 2, 0,
                           rank == shape.root ? shape.parts : 0));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {.copied = shape.parts};
  return {.rounds = shape.p + shape.parts - 2,
          .messages = shape.parts,
          .sent = shape.parts,
          .copied = shape.parts,
          .reduced = shape.parts};
}

extern const Algorithm pipeline{
    .name = "pipeline",
    .collective = toccata::reduce,
    .summary = "pipelined segments from rank to rank; for very long messages and few ranks",
    .citation = "watts1995",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
