#include "arrivals/arrivals.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "arrivals/waiting.h"

namespace toccata {

namespace {

constexpr double second = 1e9;  // nanoseconds

// The series of all ranks of a communicator, by rank.
struct Members {
  std::vector<const Series*> series;
  std::vector<int> world_ranks;
};

using Name = std::tuple<std::uint64_t, int, std::string_view>;

std::map<Name, Members> by_communicator(const std::vector<std::vector<Series>>& all) {
  std::map<Name, Members> result;
  for (std::size_t world_rank = 0; world_rank < all.size(); ++world_rank)
    for (const Series& each : all[world_rank]) {
      if (each.rank < 0 || each.rank >= each.p) continue;
      Members& members = result[{each.group, each.order, each.collective->name}];
      members.series.resize(std::max<std::size_t>(members.series.size(), each.p));
      members.world_ranks.resize(members.series.size());
      members.series[each.rank] = &each;
      members.world_ranks[each.rank] = static_cast<int>(world_rank);
    }
  std::erase_if(result, [](const auto& each) {
    return std::ranges::count(each.second.series, nullptr) > 0;  // a rank has kept nothing
  });
  return result;
}

// The sample with that number, at or after place `at`; null if this rank has not kept the call.
const Sample* find(const Series& series, std::int64_t number, std::size_t& at) {
  const std::vector<Sample>& kept = series.samples.kept();
  while (at < kept.size() && kept[at].number < number) ++at;
  return at < kept.size() && kept[at].number == number ? &kept[at] : nullptr;
}

class Matching {
 public:
  Matching(const std::vector<NodeClock>& clocks, int rows) : clocks_(clocks) {
    const std::vector<double> zeros(clocks.size());
    result_.rows.resize(
        rows, {.taking_part = zeros, .after_first = zeros, .last = zeros, .awaited = zeros});
    result_.waiting = result_.working = zeros;
    for (const NodeClock& each : clocks) error_ = std::max(error_, 2 * each.error());
    result_.clock_error = static_cast<double>(error_) / second;
  }

  void add(const Members& members) {
    std::vector<std::size_t> places(members.series.size());
    std::vector<Stay> stays(members.series.size());
    for (const Sample& first : members.series.front()->samples.kept()) {
      if (first.row < 0 || first.row >= static_cast<int>(result_.rows.size())) continue;
      bool complete = true;
      for (std::size_t rank = 0; rank < stays.size(); ++rank) {
        const Sample* const sample = find(*members.series[rank], first.number, places[rank]);
        complete = sample != nullptr;
        if (!complete) break;
        const NodeClock& clock = clocks_[members.world_ranks[rank]];
        stays[rank] = {clock.of_rank_0(sample->arrived), clock.of_rank_0(sample->left)};
      }
      if (complete) add(members, first, stays);
    }
  }

  Arrivals result() && { return std::move(result_); }

 private:
  void add(const Members& members, const Sample& first, std::span<const Stay> stays) {
    const Series& series = *members.series.front();
    const int p = static_cast<int>(stays.size());
    if (first.root < 0 || first.root >= p ||
        contradict(*series.collective, first.root, stays, error_)) {
      ++result_.left_out;
      return;
    }
    RowArrivals& row = result_.rows[first.row];
    const double weight = series.samples.weight();
    const std::int64_t earliest = std::ranges::min(stays, {}, &Stay::arrived).arrived;
    const std::vector<Wait> all = waits(*series.collective, first.root, stays);
    std::vector<double> awaited(p);
    for (int rank = 0; rank < p; ++rank) {
      const int world_rank = members.world_ranks[rank];
      const double waited = weight * static_cast<double>(all[rank].waited) / second;
      const double worked = weight * static_cast<double>(all[rank].worked) / second;
      row.waiting += waited;
      row.working += worked;
      result_.waiting[world_rank] += waited;
      result_.working[world_rank] += worked;
      row.taking_part[world_rank] += weight;
      row.after_first[world_rank] +=
          weight * static_cast<double>(stays[rank].arrived - earliest) / second;
      if (all[rank].for_rank >= 0) awaited[all[rank].for_rank] += waited;
    }
    for (int rank = 0; rank < p; ++rank) row.awaited[members.world_ranks[rank]] += awaited[rank];
    const auto most = std::ranges::max_element(awaited);
    if (*most > 0) row.last[members.world_ranks[most - awaited.begin()]] += weight;
    row.sampled += 1;
    row.calls += weight;
  }

  const std::vector<NodeClock>& clocks_;
  Arrivals result_;
  std::int64_t error_ = 0;  // between two clocks
};

}  // namespace

Arrivals match(const std::vector<std::vector<Series>>& series, const std::vector<NodeClock>& clocks,
               int rows) {
  Matching matching(clocks, rows);
  for (const auto& [name, members] : by_communicator(series)) matching.add(members);
  return std::move(matching).result();
}

}  // namespace toccata
