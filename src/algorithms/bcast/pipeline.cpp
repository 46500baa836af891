// Broadcast along a chain: the message is cut into segments that follow each other from rank to
// rank, so that all links are busy at the same time.
// [watts1995]   rounds p + s - 2   cost (p + s - 2)·(α + n/s·β)
//
//   p = 4, root 0, segments A B    0>1 A    0>1 B 1>2 A    1>2 B 2>3 A    2>3 B

#include "patterns/circulant.h"
#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number_of_segments("segments, which follow each other along the chain", {1, 3, 16});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant chain{shape.p, rank};
  TreePlace place{.depth = chain.below(shape.root)};
  if (place.depth > 0) place.parent = chain.below(1);
  if (place.depth < shape.p - 1) place.children = {chain.above(1)};
  schedule.then(down(place, shape.parts));
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  return {.rounds = shape.p + shape.parts - 2, .messages = shape.parts, .sent = shape.parts};
}

extern const Algorithm pipeline{
    .name = "pipeline",
    .collective = toccata::bcast,
    .summary = "pipelined segments from rank to rank; for very long messages and few ranks",
    .citation = "watts1995",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
