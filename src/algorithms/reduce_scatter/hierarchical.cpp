// Reduce-scatter by levels: reduce inside each region to its leader, reduce-scatter among the
// leaders, and scatter inside each region, on all levels. In the second step, each leader receives
// the results for its region.
// [karonis2000]   r nodes of s ranks, binomial and circulant   rounds 2·⌈log2 s⌉ + ⌈log2 r⌉
//                cost ⌈log2 r⌉·α + (r-1)/r·n·(β + γ) between nodes,
//                     2·⌈log2 s⌉·α + (⌈log2 s⌉ + (s-1)/p)·n·β inside
//
//   4 ranks on nodes 0 1 | 2 3    inside 1>0 3>2 A B C D    among leaders 0>2 C D  2>0 A B
//                                 inside 0>1 B  2>3 D
//
// Only leaders communicate with other nodes, with the smallest possible number of messages. In
// multi_lane, more ranks send at the same time, and each combines less data. The ranks of a region
// need not be consecutive, so the order of the ranks is not kept.

#include "schedule/backwards.h"
#include "writing/levels.h"

namespace toccata::algorithms::reduce_scatter {

static const Parameter between = choice("between", "algorithm among leaders: reduce_scatter/...",
                                        {"circulant", "ring", "recursive_multiplying"});
static const Parameter inside =
    choice("inside", "inside each region: bcast/... and gather/..., both run backwards",
           {"binomial", "linear"});

static Flat among_leaders(const Shape& shape) {
  return {toccata::reduce_scatter, between.words[shape.parameters[between]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Levels levels(shape);
  const Flat among = among_leaders(shape);
  if (levels.number() == 1) {
    schedule.then(among.schedule(shape.p, rank));
    return;
  }
  const std::string_view by = inside.words[shape.parameters[inside]];
  const Flat gather(toccata::gather, by);
  ScheduleBuilder up, all;
  levels.gather(up, 1, rank, gather);
  const int rounds = levels.rounds_from(1, gather);

  levels.reduce(all, 1, rank, {toccata::bcast, by}, shape.p);
  levels.in_teams(all, 0, rank, among, levels.contributions_of_team(0, rank),
                  levels.contribution(0, rank));
  all.then(on(backwards(std::move(up).build(), rounds), BlockMap::affine(Buffer::recv, 0),
              BlockMap::affine(Buffer::recv, rank)));
  schedule.then(in_scratch(std::move(all).build(), BlockMap::affine(Buffer::send, 0), rank));
}

// On one level of regions, leaders have the most of all, except that another rank sends most
// blocks: its whole contribution, and later the results of the largest subtree without its own.
static std::optional<Cost> claim(const Shape& shape) {
  const Levels levels(shape);
  const Flat among = among_leaders(shape);
  if (levels.number() == 1) return among.claim(shape.p);
  if (levels.number() > 2 || !levels.even()) return {};
  const std::string_view by = inside.words[shape.parameters[inside]];
  const Cost exchange = among.claim(levels.largest(0)).of(levels.largest(1));
  const Cost reducing = levels.claim(1, {toccata::bcast, by}).of(shape.p);
  const Cost scattering = levels.claim(1, {toccata::scatter, by});
  const std::int64_t subtree = levels.claim(1, {toccata::gather, by}).sent;
  return Cost{.rounds = reducing.rounds + exchange.rounds + scattering.rounds,
              .messages = exchange.messages + scattering.messages,
              .sent = shape.p + subtree - 1,
              .copied = shape.p + 1,
              .reduced = reducing.sent + exchange.reduced};
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::reduce_scatter,
    .summary =
        "reduce inside each region, reduce-scatter among leaders, scatter inside each region",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), between, inside},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
