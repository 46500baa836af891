#include "writing/count.h"

#include <algorithm>
#include <numeric>

#include "collectives/neighborhood.h"
#include "topology/mesh.h"
#include "topology/placement.h"

namespace toccata {

void Counter::add(const Schedule& schedule) {
  Cost own;
  const auto blocks = [](std::span<const BlockRange> ranges) {
    std::int64_t total = 0;
    for (const BlockRange& range : ranges) total += range.blocks();
    return total;
  };
  has_messages_.resize(std::max<std::size_t>(has_messages_.size(), schedule.rounds()));
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (const Message& each : schedule.sends(round)) {
      own.messages += pieces(schedule, each);
      own.sent += blocks(schedule.ranges(each));
    }
    for (const Step& each : schedule.steps(round))
      (each.reduces ? own.reduced : own.copied) += blocks(schedule.from(each));
    if (schedule.sends(round).empty() && schedule.recvs(round).empty()) continue;
    if (!has_messages_[round]) ++cost_.rounds;
    has_messages_[round] = true;
  }
  cost_.messages = std::max(cost_.messages, own.messages);
  cost_.sent = std::max(cost_.sent, own.sent);
  cost_.copied = std::max(cost_.copied, own.copied);
  cost_.reduced = std::max(cost_.reduced, own.reduced);
}

Cost count(const Algorithm& algorithm, const Shape& shape) {
  const std::vector<int> asked = telling_ranks(shape);
  if (static_cast<int>(asked.size()) < shape.p)
    if (const auto claimed = algorithm.claimed(shape)) return *claimed;
  Counter counter;
  for (const int rank : asked) counter.add(algorithm.schedule(shape, rank));
  return counter.cost();
}

std::vector<int> telling_ranks(const Shape& shape) {
  constexpr int few = 64;
  const int p = shape.p;
  std::vector<int> ranks;
  if (p <= few) {
    ranks.resize(p);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }
  const auto around = [&](int rank) {
    for (const int each : {rank - 1, rank, rank + 1}) ranks.push_back((each + p) % p);
  };
  for (const int each : {0, shape.root, p / 3, p * 5 / 7}) around(each);
  for (int distance = 2; distance < p; distance *= 2)
    for (const int each : {shape.root + distance - 1, shape.root + distance})
      ranks.push_back(each % p);
  if (const Grid* grid = shape.grid.get()) {
    std::vector<int> middle = grid->mesh.dims;
    for (int& each : middle) each /= 2;
    around(grid->rank_at(grid->mesh.cell(middle)));
  }
  if (const Neighborhood* neighborhood = shape.neighborhood.get()) {
    const auto degree = [&](int rank) {
      return neighborhood->of(rank).in.size() + neighborhood->of(rank).out.size();
    };
    std::vector<int> all(p);
    std::iota(all.begin(), all.end(), 0);
    ranks.push_back(std::ranges::max(all, {}, degree));
  }
  if (const Placement* placement = shape.placement.get())
    for (int level = 0; level < placement->machine().levels(); ++level) {
      const Regions& regions = placement->regions(level);
      int smallest = 0, largest = 0;
      for (int region = 1; region < regions.number(); ++region) {
        if (regions.size(region) < regions.size(smallest)) smallest = region;
        if (regions.size(region) > regions.size(largest)) largest = region;
      }
      const int last = regions.number() - 1;
      for (const int region : {0, std::min(1, last), last / 2, last, smallest, largest})
        ranks.push_back(regions.members(region).front());
    }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace toccata
