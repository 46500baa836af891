#include "writing/region_fetch.h"

#include <algorithm>

#include "patterns/circulant.h"
#include "schedule/builder.h"
#include "writing/region_blocks.h"

namespace toccata {

RegionFetch::RegionFetch(const Regions& regions, int rank, int held, int lanes, int first)
    : fetched_(regions.size(regions.of(rank))) {
  const Circulant circle{regions.number(), regions.of(rank)};
  ScheduleBuilder schedule;
  schedule.round();
  for (int lane = 1; lane <= lanes && std::int64_t{lane} * held < circle.p; ++lane) {
    const int distance = lane * held, count = std::min(held, circle.p - distance);
    const int above = circle.above(distance), below = circle.below(distance);
    const auto carrier = [&](int region) { return (lane - 1 + first) % regions.size(region); };
    const BlockRanges blocks = blocks_of(regions, above, count);
    for (const BlockRange& range : blocks) append(fetched_[carrier(circle.rank)], range);
    if (carrier(circle.rank) == regions.local(rank))
      schedule.send(regions.members(below)[carrier(below)], blocks_of(regions, circle.rank, count))
          .recv(regions.members(above)[carrier(above)], blocks);
  }
  round_ = std::move(schedule).build();
}

int doubling_rounds(const Placement& placement, std::span<const int> levels, int size) {
  if (levels.empty()) return 1 + ceil_log2(size);
  const Regions& regions = placement.regions(levels[0]);
  const auto further_in = levels.subspan(1);
  const int inside = doubling_rounds(placement, further_in, std::min(size, regions.largest()));
  const int exchanges = ceil_log2(std::min(size, regions.number()));
  return std::max(inside * (1 + exchanges), doubling_rounds(placement, further_in, size));
}

}  // namespace toccata
