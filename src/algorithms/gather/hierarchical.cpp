// Gather by levels: inside each region to its leader, then among the leaders, on all levels.
// [karonis2000]   r nodes of s ranks, binomial   rounds ⌈log2 s⌉ + ⌈log2 r⌉
//                 cost ⌈log2 r⌉·α + (r-1)/r·n·β between nodes, ⌈log2 s⌉·α + (s-1)/p·n·β inside
//
//   4 ranks on nodes 0 1 | 2 3, root 3    inside 1>0 b  2>3 c    among leaders 0>3 a b

#include "writing/levels.h"

namespace toccata::algorithms::gather {

static const Parameter by =
    choice("by", "algorithm on each level: gather/...", {"binomial", "linear"});

static Flat on_level(const Shape& shape) {
  return {toccata::gather, by.words[shape.parameters[by]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  ScheduleBuilder up;
  Levels(shape).gather(up, 0, rank, on_level(shape));
  const Schedule all = std::move(up).build();
  schedule.then(rank == shape.root ? all : in_scratch(all, BlockMap::affine(Buffer::recv, 0)));
}

// Among the leaders, a message has the blocks of whole regions.
static std::optional<Cost> claim(const Shape& shape) {
  const Levels levels(shape);
  if (!levels.even()) return {};
  const Flat flat = on_level(shape);
  const Cost among = flat.claim(levels.largest(0));
  return Cost{levels.claim(0, flat).rounds, among.messages,
              among.sent * (shape.p / levels.largest(0)), 1};
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::gather,
    .summary = "inside each region, then among leaders, level by level",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), by},
    .relays = true,
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::gather
