#include "costs/crossings.h"

#include <algorithm>

#include "proofs/sizing.h"
#include "topology/placement.h"

namespace toccata {

namespace {

using Count = Crossing::Count;

void add(Count& total, const Count& more) {
  total.messages += more.messages;
  total.blocks += more.blocks;
  total.bytes += more.bytes;
}

void raise(Count& most, const Count& other) {
  most.messages = std::max(most.messages, other.messages);
  most.blocks = std::max(most.blocks, other.blocks);
  most.bytes = std::max(most.bytes, other.bytes);
}

}  // namespace

std::vector<Crossing> crossings(const Algorithm& algorithm, const Shape& shape,
                                std::span<const std::int64_t> bytes) {
  return crossings(
      algorithm.collective, shape, [&](int rank) { return algorithm.schedule(shape, rank); },
      bytes);
}

std::vector<Crossing> crossings(const Collective& collective, const Shape& shape,
                                const std::function<Schedule(int rank)>& schedule_of,
                                std::span<const std::int64_t> bytes) {
  if (shape.placement == nullptr) return {};
  const Placement& placement = *shape.placement;
  const int levels = placement.machine().levels();
  std::vector<Crossing> result(levels);
  for (int level = 0; level < levels; ++level) {
    result[level].level = placement.machine().name(level);
    result[level].regions.resize(placement.regions(level).number());
  }
  for (int rank = 0; rank < shape.p; ++rank) {
    const Schedule schedule = schedule_of(rank);
    const Sizing sizing(collective, shape, rank, schedule);
    std::vector<Count> sent(levels);
    for (int round = 0; round < schedule.rounds(); ++round)
      for (const Message& each : schedule.sends(round)) {
        Count message{.messages = pieces(schedule, each)};
        for (const BlockRange& range : schedule.ranges(each)) {
          message.blocks += range.blocks();
          if (!bytes.empty())
            for_each_block(range,
                           [&](int block) { message.bytes += bytes[sizing(range.buffer, block)]; });
        }
        if (bytes.empty()) message.bytes = message.blocks;
        for (int level = placement.common_level(rank, each.peer) + 1; level < levels; ++level)
          add(sent[level], message);
      }
    for (int level = 0; level < levels; ++level) {
      add(result[level].regions[placement.regions(level).of(rank)], sent[level]);
      add(result[level].total, sent[level]);
      raise(result[level].rank, sent[level]);
    }
  }
  for (Crossing& each : result)
    for (const Count& region : each.regions) raise(each.region, region);
  return result;
}

}  // namespace toccata
