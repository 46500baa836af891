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
// Every region has as many lanes as the largest region has ranks (writing/region_fetch.h). In the
// paper, all regions have the same size, and lane k is local rank k, so that local rank 0 idles.

#include <array>

#include "patterns/arithmetic.h"
#include "topology/division.h"
#include "writing/levels.h"
#include "writing/region_fetch.h"

namespace toccata::algorithms::allgather {

static const Parameter local_rank_0 = choice(
    "local_rank_0", "whether local rank 0 also receives from other regions, or idles meanwhile",
    {"works", "idles"});
static const Parameter lanes =
    choice("lanes", "concurrent messages into a region: the size of the largest or smallest region",
           {"largest", "smallest"});
static const Parameter levels = [] {
  Parameter made =
      choice("levels", "levels of the machine that form regions", {"all", "node", "node+socket"});
  made.samples = {0, 1};
  return made;
}();

static Schedule among(const Division& ranks, int p, const Shape& shape, int rank) {
  if (!ranks.divides()) return Flat(toccata::allgather, "bruck").schedule(p, rank);
  const Regions& regions = ranks.regions();
  const int here = regions.of(rank);
  const auto members = regions.members(here);
  const int size = static_cast<int>(members.size()), local = regions.local(rank);
  const Schedule gather = among(ranks.inside(here), size, shape, local);
  const auto inside = [&](const BlockMap& send, const BlockMap& all) {
    return on(members, gather, send, all);
  };
  const int rounds = doubling_rounds(*shape.placement, ranks.further_in(), regions.largest());

  BlockMap own = BlockMap::table();
  for (const int member : members) own.add(recv(member));
  ScheduleBuilder schedule;
  schedule.then(inside(BlockMap::affine(Buffer::send, 0), own), rounds);
  const int ways = shape.parameters.is(lanes, "largest") ? regions.largest() : regions.smallest();
  const int first = shape.parameters.is(local_rank_0, "idles") && ways > 1 ? 1 : 0;
  for (std::int64_t held = 1; held < regions.number(); held *= ways - first + 1) {
    const RegionFetch fetch(regions, rank, static_cast<int>(held), ways - first, first);
    // The first round of a gather only copies blocks to their places. Here, they arrive in their
    // places, so the fetch takes that round.
    const Schedule after =
        inside(BlockMap::table({fetch.fetched()[local]}), BlockMap::table(fetch.fetched()));
    schedule.then(abreast(std::array{fetch.round(), after}), rounds);
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
