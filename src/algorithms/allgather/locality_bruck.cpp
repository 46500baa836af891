// Allgather by Bruck among regions, nodes say, with a message of its own for each rank of a region:
// where Bruck's data doubles with every message that leaves the region, this one's grows by the
// size of a region. Between, regions gather what came in; they do that in the same way where a
// level further in divides them, else by Bruck.
// [bienz2022, algorithm 2]   r regions of s ranks: ⌈log_(s+1) r⌉ messages out of the region, and
// ⌈log2 s⌉ inside it before the first and after each
//
//   6 ranks in regions 0 1 | 2 3 | 4 5   rank 0  1        rank 2  3        rank 4  5
//     gather inside                      AB.... AB....    ..CD.. ..CD..    ....EF ....EF
//     fetch from one, two regions on     ABCD.. AB..EF    ..CDEF ABCD..    AB..EF ..CDEF
//     gather inside                      ABCDEF ABCDEF    ABCDEF ABCDEF    ABCDEF ABCDEF
//
// When every region holds the data of `held` regions, from its own on, lane k of it fetches what
// the region k · held further on holds, for k = 1, 2, ... A region has as many lanes as the largest
// has ranks, and a rank of a smaller one several. (The paper's regions are alike, and its lane k is
// local rank k, so that local rank 0 idles.) In the last round only what is missing is fetched, and
// some lanes have nothing to do.

#include <array>

#include "algorithms/levels.h"
#include "algorithms/region_blocks.h"
#include "patterns/circulant.h"
#include "schedule/combinators.h"
#include "topology/division.h"

namespace toccata::algorithms::allgather {

static const Parameter local_rank_0 = choice(
    "local_rank_0", "whether local rank 0 fetches from other regions too, or idles meanwhile",
    {"works", "idles"});
static const Parameter lanes =
    choice("lanes",
           "how many messages come into a region at once: as its largest, or its smallest "
           "has ranks",
           {"largest", "smallest"});

static const Parameter levels = [] {
  Parameter made =
      choice("levels", "the levels of the machine that it goes by", {"all", "node", "node+socket"});
  made.samples = {0, 1};
  return made;
}();

namespace {

// A lane, in the round that starts with the data of `held` regions everywhere.
struct Lane {
  int number;
  int distance;  // to the region that it fetches from
  int count;     // regions that it fetches the data of
};

// How the regions of one level exchange.
class Lanes {
 public:
  Lanes(const Regions& regions, const Shape& shape) : regions_(regions) {
    const int number =
        shape.parameters.is(lanes, "largest") ? regions.largest() : regions.smallest();
    idles_ = shape.parameters.is(local_rank_0, "idles") && number > 1;
    number_ = idles_ ? number - 1 : number;
  }

  // The local rank of a region whose lane that is.
  int carrier(const Lane& lane, int region) const {
    return (lane.number + (idles_ ? 1 : 0)) % regions_.size(region);
  }
  int rank(const Lane& lane, int region) const {
    return regions_.members(region)[carrier(lane, region)];
  }

  // Calls visit(lanes that have something to fetch) for every round.
  template <typename Visit>
  void for_each_round(Visit&& visit) const {
    const int r = regions_.number();
    for (std::int64_t held = 1; held < r; held *= number_ + 1) {
      std::vector<Lane> busy;
      for (int i = 0; i < number_ && (i + 1) * held < r; ++i) {
        const auto distance = static_cast<int>((i + 1) * held);
        busy.push_back({i, distance, static_cast<int>(std::min<std::int64_t>(held, r - distance))});
      }
      visit(busy);
    }
  }

 private:
  const Regions& regions_;
  int number_ = 1;
  bool idles_ = false;
};

const Flat& bruck() {
  static const Flat flat(toccata::allgather, "bruck");
  return flat;
}

// As many rounds as `among` may have in a region of up to `size` ranks, divided at most by these
// levels. Regions differ, and their rounds have to line up; one too many costs nothing.
int most_rounds(const Placement& placement, std::span<const int> levels, int size) {
  if (levels.empty()) return 1 + ceil_log2(size);
  const Regions& regions = placement.regions(levels[0]);
  const auto further_in = levels.subspan(1);
  const int inside = most_rounds(placement, further_in, std::min(size, regions.largest()));
  const int exchanges = ceil_log2(std::min(size, regions.number()));
  return std::max(inside * (1 + exchanges), most_rounds(placement, further_in, size));
}

}  // namespace

// An allgather among the ranks of `ranks`, a block each.
static Schedule among(const Division& ranks, int p, const Shape& shape, int rank) {
  if (!ranks.divides()) return bruck().schedule(p, rank);
  const Regions& regions = ranks.regions();
  const Circulant circle{regions.number(), regions.of(rank)};
  const int local = regions.local(rank);
  const auto members = regions.members(circle.rank);
  const Schedule gather =
      among(ranks.inside(circle.rank), static_cast<int>(members.size()), shape, local);
  const auto inside = [&](const BlockMap& send, std::vector<BlockRanges> blocks) {
    return on(members, gather, send, BlockMap::table(blocks));
  };

  const int rounds = most_rounds(*shape.placement, ranks.further_in(), regions.largest());

  ScheduleBuilder schedule;
  std::vector<BlockRanges> own;
  for (const int member : members) own.push_back({recv(member)});
  schedule.then(inside(BlockMap::affine(Buffer::send, 0), std::move(own)), rounds);

  const Lanes exchange(regions, shape);
  exchange.for_each_round([&](const std::vector<Lane>& busy) {
    ScheduleBuilder fetch;
    fetch.round();
    std::vector<BlockRanges> fetched(members.size());  // by each member
    for (const Lane& lane : busy) {
      const int above = circle.above(lane.distance), below = circle.below(lane.distance);
      const int carrier = exchange.carrier(lane, circle.rank);
      const BlockRanges blocks = blocks_of(regions, above, lane.count);
      for (const BlockRange& range : blocks) append(fetched[carrier], range);
      if (carrier == local)
        fetch.send(exchange.rank(lane, below), blocks_of(regions, circle.rank, lane.count))
            .recv(exchange.rank(lane, above), blocks);
    }
    // Its first round, in which blocks are put into place, has nothing to do: they come then.
    const BlockMap send = BlockMap::table({fetched[local]});
    const Schedule after = inside(send, std::move(fetched));
    schedule.then(abreast(std::array{std::move(fetch).build(), after}), rounds);
  });
  return std::move(schedule).build();
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Division all(shape.placement.get(), Levels::chosen(shape, levels));
  schedule.then(among(all, shape.p, shape, rank));
}

extern const Algorithm locality_bruck{
    .name = "locality_bruck",
    .collective = toccata::allgather,
    .summary = "few messages between regions, any number of levels; for short messages",
    .citation = "bienz2022, algorithm 2",
    .parameters = {local_rank_0, lanes, levels},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
