// Allgather by Bruck among regions, such as nodes, in which each rank of a region sends its own
// message to another region. In Bruck's algorithm, the data of a region double with every such
// message. Here, they multiply by s + 1 in each exchange, if regions have s ranks. After each
// exchange, regions gather the received data inside: in the same way if an inner level divides
// them, otherwise by Bruck.
// [bienz2022, algorithm 2]   r regions of s ranks: ⌈log_(s+1) r⌉ messages out of the region,
//                            ⌈log2 s⌉ messages inside it before the first and after each
//
//   6 ranks in regions 0 1 | 2 3 | 4 5   rank 0  1        rank 2  3        rank 4  5
//     gather inside                      AB.... AB....    ..CD.. ..CD..    ....EF ....EF
//     fetch from regions +1 and +2       ABCD.. AB..EF    ..CDEF ABCD..    AB..EF ..CDEF
//     gather inside                      ABCDEF ABCDEF    ABCDEF ABCDEF    ABCDEF ABCDEF
//
// Every region holds the data of `held` regions, beginning with its own. Its lane k fetches the
// data of the region that is k · held further on, for k = 1, 2, ... Every region has as many lanes
// as the largest region has ranks; a rank of a smaller region serves several lanes. (In the paper,
// all regions have the same size, and lane k is local rank k, so that local rank 0 idles.) The last
// round fetches only the missing data, and some lanes idle.

#include <array>

#include "patterns/circulant.h"
#include "topology/division.h"
#include "writing/levels.h"
#include "writing/region_blocks.h"

namespace toccata::algorithms::allgather {

static const Parameter local_rank_0 = choice(
    "local_rank_0", "whether local rank 0 also receives from other regions, or idles meanwhile",
    {"works", "idles"});
static const Parameter lanes = choice(
    "lanes",
    "concurrent messages into a region: the number of ranks in the largest or smallest region",
    {"largest", "smallest"});
static const Parameter levels = [] {
  Parameter made =
      choice("levels", "levels of the machine to consider", {"all", "node", "node+socket"});
  made.samples = {0, 1};
  return made;
}();

// The maximum number of rounds of `among` in a region of up to `size` ranks, which these levels may
// divide. Regions differ, but their rounds must be aligned. An additional empty round costs
// nothing.
static int most_rounds(const Placement& placement, std::span<const int> through, int size) {
  if (through.empty()) return 1 + ceil_log2(size);
  const Regions& regions = placement.regions(through[0]);
  const auto further_in = through.subspan(1);
  const int inside = most_rounds(placement, further_in, std::min(size, regions.largest()));
  const int exchanges = ceil_log2(std::min(size, regions.number()));
  return std::max(inside * (1 + exchanges), most_rounds(placement, further_in, size));
}

// An allgather among the ranks of a division, with one block per rank.
static Schedule among(const Division& ranks, int p, const Shape& shape, int rank) {
  if (!ranks.divides()) return Flat(toccata::allgather, "bruck").schedule(p, rank);
  const Regions& regions = ranks.regions();
  const Circulant circle{regions.number(), regions.of(rank)};
  const auto members = regions.members(circle.rank);
  const int size = static_cast<int>(members.size()), local = regions.local(rank);
  const Schedule gather = among(ranks.inside(circle.rank), size, shape, local);
  const auto inside = [&](const BlockMap& send, const BlockMap& all) {
    return on(members, gather, send, all);
  };
  const int rounds = most_rounds(*shape.placement, ranks.further_in(), regions.largest());

  BlockMap own = BlockMap::table();
  for (const int member : members) own.add(recv(member));
  ScheduleBuilder schedule;
  schedule.then(inside(BlockMap::affine(Buffer::send, 0), own), rounds);

  const int ways = shape.parameters.is(lanes, "largest") ? regions.largest() : regions.smallest();
  // The local rank that has lane 1; the ranks after it have the next lanes.
  const int first = shape.parameters.is(local_rank_0, "idles") && ways > 1 ? 1 : 0;
  const int last_lane = ways - first;
  for (std::int64_t held = 1; held < circle.p; held *= last_lane + 1) {
    ScheduleBuilder fetch;
    fetch.round();
    std::vector<BlockRanges> fetched(size);  // by each member
    for (int lane = 1; lane <= last_lane && lane * held < circle.p; ++lane) {
      const auto distance = static_cast<int>(lane * held);
      const auto count = static_cast<int>(std::min<std::int64_t>(held, circle.p - distance));
      const int above = circle.above(distance), below = circle.below(distance);
      const auto carrier = [&](int region) { return (lane - 1 + first) % regions.size(region); };
      const BlockRanges blocks = blocks_of(regions, above, count);
      for (const BlockRange& range : blocks) append(fetched[carrier(circle.rank)], range);
      if (carrier(circle.rank) == local)
        fetch.send(regions.members(below)[carrier(below)], blocks_of(regions, circle.rank, count))
            .recv(regions.members(above)[carrier(above)], blocks);
    }
    // The first round of a gather only copies blocks to their places. Here, they arrive in their
    // places, so the fetch takes that round.
    const Schedule after = inside(BlockMap::table({fetched[local]}), BlockMap::table(fetched));
    schedule.then(abreast(std::array{std::move(fetch).build(), after}), rounds);
  }
  return std::move(schedule).build();
}

// The formulas of the paper: even regions on one level, whose number is a power of the factor by
// which their data grow.
static std::optional<Cost> claim(const Shape& shape) {
  const Division all(shape.placement.get(), Levels::chosen(shape, levels));
  if (!all.divides()) return Flat(toccata::allgather, "bruck").claim(shape.p);
  const Regions& regions = all.regions();
  if (!regions.even() || !all.further_in().empty()) return {};
  const std::int64_t s = regions.largest();
  const std::int64_t factor = shape.parameters.is(local_rank_0, "idles") ? s : s + 1;
  const int inside = ceil_log2(regions.largest());
  Cost cost{.rounds = inside, .messages = inside, .sent = s - 1, .copied = 1};
  std::int64_t held = 1;
  for (; held < regions.number(); held *= factor)
    cost = cost + Cost{.rounds = 1 + inside, .messages = 1 + inside, .sent = held * s * s};
  return held == regions.number() ? std::optional(cost) : std::nullopt;
}

extern const Algorithm locality_bruck{
    .name = "locality_bruck",
    .collective = toccata::allgather,
    .summary = "few messages between regions, any number of levels; for short messages",
    .citation = "bienz2022, algorithm 2",
    .claim = claim,
    .parameters = {local_rank_0, lanes, levels},
    .by_placement = true,
    .write =
        [](const Shape& shape, int rank, ScheduleBuilder& schedule) {
          const Division all(shape.placement.get(), Levels::chosen(shape, levels));
          schedule.then(among(all, shape.p, shape, rank));
        },
};

}  // namespace toccata::algorithms::allgather
