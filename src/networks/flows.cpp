#include "networks/flows.h"

#include <functional>
#include <utility>

namespace toccata {

namespace {

Flows flows_of(int p, const std::function<Schedule(int)>& schedule_of) {
  Flows result;
  std::vector<double> bytes(p);  // by peer
  for (int rank = 0; rank < p; ++rank) {
    const Schedule schedule = schedule_of(rank);
    std::vector<int> peers;
    for (int round = 0; round < schedule.rounds(); ++round)
      for (const Message& each : schedule.sends(round))
        for (const BlockRange& range : schedule.ranges(each)) {
          if (bytes[each.peer] == 0) peers.push_back(each.peer);
          bytes[each.peer] += static_cast<double>(range.blocks());
        }
    std::vector<std::pair<int, double>> row;
    for (const int peer : peers) row.emplace_back(peer, std::exchange(bytes[peer], 0));
    result.add_row(std::move(row));
  }
  return result;
}

}  // namespace

Flows flows_of(std::span<const Schedule> schedules) {
  return flows_of(static_cast<int>(schedules.size()), [&](int rank) { return schedules[rank]; });
}

Flows flows_of(const Algorithm& algorithm, const Shape& shape) {
  return flows_of(shape.p, [&](int rank) { return algorithm.schedule(shape, rank); });
}

}  // namespace toccata
