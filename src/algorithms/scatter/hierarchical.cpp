// Scatter by levels: among the leaders, each of which receives the blocks of its region, then
// inside each region. It is gather/hierarchical in reverse.
// [karonis2000]   r nodes of s ranks, binomial   rounds ⌈log2 r⌉ + ⌈log2 s⌉
//                 cost ⌈log2 r⌉·α + (r-1)/r·n·β between nodes, ⌈log2 s⌉·α + (s-1)/p·n·β inside
//
//   4 ranks on nodes 0 1 | 2 3, root 3    among leaders 3>0 a b    inside 0>1 b  3>2 c

#include "schedule/backwards.h"
#include "writing/levels.h"

namespace toccata::algorithms::scatter {

static const Parameter by =
    choice("by", "algorithm on each level: scatter/...", {"binomial", "linear"});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Levels levels(shape);
  const Flat gather(toccata::gather, by.words[shape.parameters[by]]);
  ScheduleBuilder up;
  levels.gather(up, 0, rank, gather);
  const Schedule all = std::move(up).build();
  schedule.then(
      backwards(rank == shape.root ? all : in_scratch(all, BlockMap::affine(Buffer::recv, 0)),
                levels.rounds_from(0, gather)));
}

// The root leads on all levels, so it sends most.
static std::optional<Cost> claim(const Shape& shape) {
  const Levels levels(shape);
  if (!levels.even()) return {};
  const Cost down = levels.claim(0, {toccata::scatter, by.words[shape.parameters[by]]});
  return Cost{down.rounds, down.messages, shape.p - 1, 1};
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::scatter,
    .summary = "among leaders, then inside each region, level by level",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), by},
    .relays = true,
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::scatter
