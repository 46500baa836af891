#include "analysis/links.h"

#include <algorithm>
#include <memory>

#include "algorithms/torus.h"
#include "analysis/sizing.h"
#include "topology/placement.h"

namespace toccata {

int Links::of_cell(int cell) const {
  const std::vector<int> at = mesh_.coordinates(cell);
  int links = 0;
  for (int i = 0; i < mesh_.dimensions(); ++i) {
    const int size = mesh_.dims[i];
    const bool ring = mesh_.periodic[i] && size > 2;
    links += (ring || at[i] + 1 < size ? 1 : 0) + (ring || at[i] > 0 ? 1 : 0);
  }
  return links;
}

int Links::fewest_of_a_cell() const { return of_cell(0); }

int Links::most_of_a_cell() const {
  std::vector<int> middle = mesh_.dims;
  for (int& each : middle) each /= 2;
  return of_cell(mesh_.cell(middle));
}

void Links::route(int from, int to, std::vector<int>& links) const {
  int weight = mesh_.cells();
  for (int i = 0; i < mesh_.dimensions(); ++i) {
    const int size = mesh_.dims[i];
    weight /= size;
    int here = from / weight % size;
    const int there = to / weight % size;
    const bool ring = mesh_.periodic[i] && size > 2;
    const bool up = ring ? 2 * wrap(there - here, size) <= size : there > here;
    while (here != there) {
      links.push_back(2 * mesh_.dimensions() * from + 2 * i + (up ? 0 : 1));
      const int next = wrap(here + (up ? 1 : -1), size);
      from += (next - here) * weight;
      here = next;
    }
  }
}

namespace {

Mesh network_of(const Shape& shape) {
  if (shape.placement != nullptr && shape.placement->machine().network())
    return *shape.placement->machine().network();
  return grid_of(shape).mesh;
}

}  // namespace

OnLinks::OnLinks(const Shape& shape) : links(network_of(shape)), cells(shape.p) {
  if (shape.placement != nullptr && shape.placement->machine().network()) {
    for (int rank = 0; rank < shape.p; ++rank) {
      const Place& place = shape.placement->place(rank);
      cells[rank] = shape.placement->machine().ancestor(place.level, place.object, 0);
    }
  } else {
    const Grid grid = grid_of(shape);
    for (int cell = 0; cell < shape.p; ++cell) cells[grid.rank_at(cell)] = cell;
  }
}

int LinkTraffic::most_conflicts() const {
  return conflicts.empty() ? 0 : *std::ranges::max_element(conflicts);
}

namespace {

int rounds_of(std::span<const Schedule> schedules) {
  int rounds = 0;
  for (const Schedule& each : schedules) rounds = std::max(rounds, each.rounds());
  return rounds;
}

// Calls visit(rank, place among the round's sends, message, links) for all messages of a round.
template <typename Visit>
void for_each_way(const OnLinks& where, std::span<const Schedule> schedules, int round,
                  Visit&& visit) {
  std::vector<int> way;
  for (int rank = 0; rank < static_cast<int>(schedules.size()); ++rank) {
    if (round >= schedules[rank].rounds()) continue;
    int place = 0;
    for (const Message& each : schedules[rank].sends(round)) {
      way.clear();
      where.links.route(where.cells[rank], where.cells[each.peer], way);
      visit(rank, place++, each, way);
    }
  }
}

}  // namespace

LinkTraffic link_traffic(const Collective& collective, const Shape& shape,
                         std::span<const Schedule> schedules, std::span<const std::int64_t> bytes) {
  const OnLinks where(shape);
  std::vector<Sizing> sizings;
  for (int rank = 0; rank < shape.p; ++rank)
    sizings.emplace_back(collective, shape, rank, schedules[rank]);
  const auto size_of = [&](int rank, const Message& message) {
    std::int64_t total = 0;
    for (const BlockRange& range : schedules[rank].ranges(message)) {
      if (bytes.empty())
        total += range.blocks();
      else
        for_each_block(range,
                       [&](int block) { total += bytes[sizings[rank](range.buffer, block)]; });
    }
    return total;
  };

  LinkTraffic result;
  result.bytes.assign(where.links.numbers(), 0);
  std::vector<int> messages(where.links.numbers());
  const int rounds = rounds_of(schedules);
  for (int round = 0; round < rounds; ++round) {
    std::ranges::fill(messages, 0);
    for_each_way(where, schedules, round,
                 [&](int rank, int, const Message& message, const std::vector<int>& way) {
                   const std::int64_t size = size_of(rank, message);
                   for (const int link : way) {
                     result.bytes[link] += size;
                     ++messages[link];
                   }
                 });
    result.conflicts.push_back(messages.empty() ? 0 : *std::ranges::max_element(messages));
  }
  for (const std::int64_t each : result.bytes) {
    result.largest = std::max(result.largest, each);
    result.total += each;
  }
  return result;
}

LinkTraffic link_traffic(const Algorithm& algorithm, const Shape& shape,
                         std::span<const std::int64_t> bytes) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(algorithm.schedule(shape, rank));
  return link_traffic(algorithm.collective, shape, schedules, bytes);
}

std::function<double(int, int, int)> conflicts_on(const Shape& shape,
                                                  std::span<const Schedule> schedules) {
  const OnLinks where(shape);
  const int rounds = rounds_of(schedules);
  // By round and rank, a number for each message.
  auto shared = std::make_shared<std::vector<std::vector<std::vector<int>>>>(
      rounds, std::vector<std::vector<int>>(shape.p));
  std::vector<int> messages(where.links.numbers());
  for (int round = 0; round < rounds; ++round) {
    std::ranges::fill(messages, 0);
    for_each_way(where, schedules, round,
                 [&](int, int, const Message&, const std::vector<int>& way) {
                   for (const int link : way) ++messages[link];
                 });
    for_each_way(where, schedules, round,
                 [&](int rank, int, const Message&, const std::vector<int>& way) {
                   int most = 1;
                   for (const int link : way) most = std::max(most, messages[link]);
                   (*shared)[round][rank].push_back(most);
                 });
  }
  return [shared](int sender, int round, int message) {
    return static_cast<double>((*shared)[round][sender][message]);
  };
}

}  // namespace toccata
