#include "algorithms/tally.h"

#include <numeric>

namespace toccata {

void Tally::run(std::span<const Schedule> schedules, std::span<const Part> parts) {
  std::vector<std::vector<std::int64_t>> below(parts.size());  // blocks of all members before one
  for (std::size_t i = 0; i < parts.size(); ++i) {
    below[i].push_back(0);
    for (const std::int64_t width : parts[i].widths) below[i].push_back(below[i].back() + width);
  }
  for (int round_number = 0; round_number < schedules.front().rounds(); ++round_number)
    round([&](auto&& message) {
      for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t rank = 0; rank < schedules.size(); ++rank)
          for (const Message& each : schedules[rank].sends(round_number)) {
            std::int64_t blocks = 0;
            for (const BlockRange& range : schedules[rank].ranges(each)) {
              if (range.buffer == Buffer::send) blocks += parts[i].widths[rank];
              if (range.buffer != Buffer::recv) continue;
              for (int run = 0; run < range.repeat; ++run) {
                const int first = range.first + run * range.stride;
                blocks += below[i][first + range.count] - below[i][first];
              }
            }
            message(parts[i].group[rank], parts[i].group[each.peer], blocks);
          }
    });
}

Cost Tally::largest() const {
  Cost cost;
  for (const Rank& each : ranks_) {
    cost.rounds = std::max(cost.rounds, each.depth);
    cost.messages = std::max(cost.messages, each.messages);
    cost.sent = std::max(cost.sent, each.sent);
  }
  return cost;
}

}  // namespace toccata
