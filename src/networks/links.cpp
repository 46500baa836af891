#include "networks/links.h"

#include <algorithm>
#include <memory>

#include "proofs/sizing.h"
#include "topology/placement.h"
#include "writing/torus.h"

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

bool Links::route(int from, int to, bool upwards, std::vector<int>& links) const {
  bool undecided = false;
  int weight = mesh_.cells();
  for (int i = 0; i < mesh_.dimensions(); ++i) {
    const int size = mesh_.dims[i];
    weight /= size;
    int here = from / weight % size;
    const int there = to / weight % size;
    const bool ring = mesh_.periodic[i] && size > 2;
    const int above = wrap(there - here, size);
    const bool tie = ring && 2 * above == size;
    undecided = undecided || tie;
    const bool up = tie ? upwards : ring ? 2 * above < size : there > here;
    while (here != there) {
      links.push_back(2 * mesh_.dimensions() * from + 2 * i + (up ? 0 : 1));
      const int next = wrap(here + (up ? 1 : -1), size);
      from += (next - here) * weight;
      here = next;
    }
  }
  return undecided;
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

// The paths of all messages of a round.
class Ways {
 public:
  explicit Ways(const OnLinks& where) : where_(where), messages_(where.links.numbers()) {}

  struct Way {
    int rank;
    int place;  // index among the sends of its round
    const Message* message;
    std::vector<int> links;
  };

  const std::vector<Way>& of(std::span<const Schedule> schedules, int round) {
    std::ranges::fill(messages_, 0);
    ways_.clear();
    std::vector<std::size_t> undecided;
    for (int rank = 0; rank < static_cast<int>(schedules.size()); ++rank) {
      if (round >= schedules[rank].rounds()) continue;
      int place = 0;
      for (const Message& each : schedules[rank].sends(round)) {
        Way& way = ways_.emplace_back(Way{rank, place++, &each, {}});
        if (route(way, true))
          undecided.push_back(ways_.size() - 1);
        else
          add(way.links);
      }
    }
    for (const std::size_t index : undecided) {
      Way& way = ways_[index];
      const int up = most(way.links);
      Way other{way.rank, way.place, way.message, {}};
      route(other, false);
      if (most(other.links) < up) way.links = std::move(other.links);
      add(way.links);
    }
    return ways_;
  }

  // The maximum number of messages of the round on any of these links.
  int most(const std::vector<int>& links) const {
    int result = 0;
    for (const int link : links) result = std::max(result, messages_[link]);
    return result;
  }

 private:
  bool route(Way& way, bool upwards) const {
    return where_.links.route(where_.cells[way.rank], where_.cells[way.message->peer], upwards,
                              way.links);
  }
  void add(const std::vector<int>& links) {
    for (const int link : links) ++messages_[link];
  }

  const OnLinks& where_;
  std::vector<int> messages_;  // by link
  std::vector<Way> ways_;
};

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
  const int links = std::max(1, where.links.most_of_a_cell());
  std::vector<int> turns(shape.p);
  Ways ways(where);
  const int rounds = rounds_of(schedules);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> sends(shape.p), recvs(shape.p);
    int conflicts = 0;
    for (const Ways::Way& way : ways.of(schedules, round)) {
      if (way.links.empty()) continue;
      const std::int64_t size = size_of(way.rank, *way.message);
      for (const int link : way.links) result.bytes[link] += size;
      conflicts = std::max(conflicts, ways.most(way.links));
      ++sends[way.rank];
      ++recvs[way.message->peer];
    }
    result.conflicts.push_back(conflicts);
    for (int rank = 0; rank < shape.p; ++rank)
      turns[rank] += (std::max(sends[rank], recvs[rank]) + links - 1) / links;
  }
  result.turns = *std::ranges::max_element(turns);
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
  Ways ways(where);
  for (int round = 0; round < rounds; ++round)
    for (const Ways::Way& way : ways.of(schedules, round))
      (*shared)[round][way.rank].push_back(std::max(1, ways.most(way.links)));
  return [shared](int sender, int round, int message) {
    return static_cast<double>((*shared)[round][sender][message]);
  };
}

}  // namespace toccata
