#include "costs/traffic.h"

#include <algorithm>

#include "proofs/sizing.h"
#include "writing/count.h"

namespace toccata {

Traffic largest(const Traffic& one, const Traffic& other) {
  return {.rounds = std::max(one.rounds, other.rounds),
          .messages = std::max(one.messages, other.messages),
          .sent = std::max(one.sent, other.sent),
          .sent_bytes = std::max(one.sent_bytes, other.sent_bytes),
          .copied = std::max(one.copied, other.copied),
          .copied_bytes = std::max(one.copied_bytes, other.copied_bytes),
          .reduced = std::max(one.reduced, other.reduced),
          .reduced_bytes = std::max(one.reduced_bytes, other.reduced_bytes)};
}

Traffic traffic(const Collective& collective, const Shape& shape, int rank,
                const Schedule& schedule, std::span<const std::int64_t> bytes) {
  const Sizing sizing(collective, shape, rank, schedule);
  const auto add = [&](std::span<const BlockRange> ranges, std::int64_t& blocks,
                       std::int64_t& total_bytes) {
    for (const BlockRange& range : ranges) {
      blocks += range.blocks();
      if (bytes.empty())
        total_bytes += range.blocks();
      else
        for_each_block(range,
                       [&](int block) { total_bytes += bytes[sizing(range.buffer, block)]; });
    }
  };

  Traffic result;
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (const Message& each : schedule.sends(round)) {
      result.messages += pieces(schedule, each);
      add(schedule.ranges(each), result.sent, result.sent_bytes);
    }
    for (const Step& each : schedule.steps(round))
      add(schedule.from(each), each.reduces ? result.reduced : result.copied,
          each.reduces ? result.reduced_bytes : result.copied_bytes);
    if (!schedule.sends(round).empty() || !schedule.recvs(round).empty()) ++result.rounds;
  }
  return result;
}

Traffic traffic(const Algorithm& algorithm, const Shape& shape,
                std::span<const std::int64_t> bytes) {
  return traffic(
      algorithm.collective, shape, [&](int rank) { return algorithm.schedule(shape, rank); },
      bytes);
}

Traffic traffic(const Collective& collective, const Shape& shape,
                const std::function<Schedule(int rank)>& schedule_of,
                std::span<const std::int64_t> bytes) {
  Traffic result;
  Counter counter;
  for (int rank = 0; rank < shape.p; ++rank) {
    const Schedule schedule = schedule_of(rank);
    counter.add(schedule);
    result = largest(result, traffic(collective, shape, rank, schedule, bytes));
  }
  result.rounds = counter.cost().rounds;
  return result;
}

}  // namespace toccata
