// Allreduce by levels: reduce inside each region, allreduce among the leaders, broadcast inside
// each region, on all levels. If the message is cut into segments, the phases overlap: one segment
// is reduced inside the regions while the leaders exchange another and a third is broadcast.
// [karonis2000]   r nodes of s ranks   rounds 2·⌈log2 s⌉ + those of the allreduce among r
//
//   4 ranks on nodes 0 1 | 2 3    inside 1>0 3>2    among leaders 0-2    inside 0>1 2>3
//
// The ranks of a region need not be consecutive, so the order of the ranks is not kept.

#include "writing/broadcast_by_levels.h"
#include "writing/levels.h"

namespace toccata::algorithms::allreduce {

static const Parameter between =
    choice("between", "algorithm among leaders: allreduce/...",
           {"recursive_doubling", "ring", "rabenseifner", "recursive_multiplying", "reduce_bcast"});

static Flat among(const Shape& shape) {
  return {toccata::allreduce, between.words[shape.parameters[between]]};
}

static Flat within(const Shape& shape) {
  return {toccata::bcast,
          BroadcastByLevels::inside().words[shape.parameters[BroadcastByLevels::inside()]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Levels levels(shape);
  const Flat outermost = among(shape);
  const Flat inside = within(shape);
  const int segments = shape.parameters[BroadcastByLevels::segments()];
  const int blocks = shape.parts / segments;
  const BlockMap sum = BlockMap::affine(Buffer::recv, 0);

  ScheduleBuilder one;
  if (levels.number() > 1) levels.reduce(one, 1, rank, inside, blocks);
  levels.in_teams(one, 0, rank, outermost,
                  levels.number() > 1 ? sum : BlockMap::affine(Buffer::send, 0), sum);
  levels.broadcast(one, 1, rank, inside, blocks);
  const int delay = segments == 1 ? 0 : levels.segment_interval(outermost, inside);
  schedule.then(segmented(std::move(one).build(), blocks, segments, delay));
}

// Leaders have the most of everything.
static std::optional<Cost> claim(const Shape& shape) {
  const Levels levels(shape);
  if (shape.parameters[BroadcastByLevels::segments()] > 1 || !levels.even()) return {};
  const bool in_place = levels.number() > 1;
  const std::optional<Cost> exchange = among(shape).claim_of_allreduce(levels.largest(0), in_place);
  if (!exchange || !in_place) return exchange;
  const Cost down = levels.claim(1, within(shape)).of(shape.parts);
  const Cost up{.rounds = down.rounds, .copied = shape.parts, .reduced = down.sent};
  return up + *exchange + down;
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::allreduce,
    .summary = "reduce inside each region, allreduce among leaders, broadcast inside each region",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), between, BroadcastByLevels::inside(),
                   BroadcastByLevels::segments()},
    .by_placement = true,
    .parts =
        [](const Shape& shape) {
          return shape.parameters[BroadcastByLevels::segments()] *
                 among(shape).parts(Levels(shape).largest(0));
        },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
