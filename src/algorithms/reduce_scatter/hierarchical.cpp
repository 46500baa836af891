// Reduce-scatter by levels: reduce all blocks inside each region, reduce-scatter them among the
// leaders, each of whom gets those of its region, and scatter them inside.
// [karonis2000]   r nodes of s ranks, binomial   rounds 2·⌈log2 s⌉ + those of the exchange
//                 cost of a leader ⌈log2 s⌉·n·β inside, (r-1)/r·n·β between nodes
//
//   4 ranks on nodes 0 1 | 2 3
//     inside  1>0 3>2 all of it      among leaders  0>2 c d  2>0 a b      inside  0>1 b  2>3 d
//
// Regions need not be ranks in a row, so their order is not kept.

#include "algorithms/levels.h"
#include "algorithms/region_blocks.h"
#include "schedule/backwards.h"

namespace toccata::algorithms::reduce_scatter {

static const Parameter between = choice("between", "the exchange of leaders: reduce_scatter/...",
                                        {"recursive_halving", "ring", "pairwise"});

// Sums of regions are in blocks 0 to p-1 of a recv that is then scratch, results in the next p.
static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Levels levels(shape);
  const int p = shape.p;
  const Flat exchange(toccata::reduce_scatter, between.words[shape.parameters[between]]);
  if (levels.number() == 1) {
    schedule.then(exchange.schedule(p, rank));
    return;
  }
  const Flat reduced(toccata::bcast, "binomial"), gathered(toccata::gather, "binomial");
  ScheduleBuilder all;
  levels.reduce(all, 1, rank, reduced, p);

  BlockRanges regions = blocks_of(levels.behind(0, rank));
  for (BlockRange& each : regions) each.first += p;
  levels.run(all, 0, rank, exchange, levels.of_all(0, rank), BlockMap::table({regions}));

  ScheduleBuilder up;
  levels.gather(up, 1, rank, gathered);
  all.then(on(backwards(std::move(up).build(), levels.rounds_from(1, gathered)),
              BlockMap::affine(Buffer::recv, p), BlockMap::affine(Buffer::recv, p + rank)));

  std::vector<BlockRanges> like;
  for (int i = 0; i < 2 * p; ++i) like.push_back({send(i % p)});
  schedule.then(in_scratch(std::move(all).build(), BlockMap::table(std::move(like)), p + rank));
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::reduce_scatter,
    .summary = "reduce inside each region, reduce-scatter of leaders, scatter inside",
    .citation = "karonis2000",
    .parameters = {Levels::which(), between},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
