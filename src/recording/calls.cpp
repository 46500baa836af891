#include "recording/calls.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace toccata::recording {

namespace {

// Beyond these numbers, new sizes merge into powers of two, and then the rest is left out.
constexpr std::size_t most_sizes = 2048, most_entries = 4096;
constexpr std::size_t most_runs = 32768;  // of all groups

// Ranks of a communicator in MPI_COMM_WORLD; empty if some are in other worlds.
std::vector<int> ranks_in_world(MPI_Comm comm) {
  MPI_Group group, world;
  int size = 0;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  std::vector<int> own(size), result(size, MPI_UNDEFINED);
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(group, size, own.data(), world, result.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (std::ranges::find(result, MPI_UNDEFINED) != result.end()) result.clear();
  return result;
}

std::vector<Calls::Run> runs_of(const std::vector<int>& ranks) {
  std::vector<Calls::Run> runs;
  for (const int rank : ranks) {
    if (!runs.empty()) {
      Calls::Run& last = runs.back();
      if (last.count == 1) last.step = rank - last.first;
      if (rank == last.first + last.count * last.step) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({rank, 1, 1});
  }
  if (!runs.empty() && runs.back().count == 1) runs.back().step = 1;
  return runs;
}

}  // namespace

Calls::Group* Calls::group_of(MPI_Comm comm) {
  const std::vector<Run> runs = runs_of(ranks_in_world(comm));
  if (runs.empty()) return nullptr;
  const auto found = groups_.find(runs);
  if (found != groups_.end()) return &found->second;
  if (runs_ + runs.size() > most_runs) return nullptr;
  runs_ += runs.size();
  return &groups_[runs];
}

std::uint16_t Calls::number_of(std::string_view algorithm) {
  const auto found = std::ranges::find(algorithms_, algorithm);
  const auto number = static_cast<std::uint16_t>(found - algorithms_.begin());
  if (found == algorithms_.end()) algorithms_.emplace_back(algorithm);
  return number;
}

Counter& Calls::counter(Group* group, const Call& call, std::uint64_t bytes, int phase) {
  if (group == nullptr) return left_out_;
  Group::Key key{static_cast<std::uint8_t>(call.routine),
                 call.is_blocking,
                 false,
                 static_cast<std::uint8_t>(phase),
                 number_of(call.algorithm),
                 call.root,
                 bytes};
  auto& counters = group->counters_;
  if (const auto found = counters.find(key); found != counters.end()) return found->second;
  if (entries_ >= most_sizes) {
    key.is_class = true;
    key.bytes = std::bit_floor(bytes);
    if (const auto found = counters.find(key); found != counters.end()) return found->second;
  }
  if (entries_ >= most_entries) return left_out_;
  Counter& made = counters[key];
  ++entries_;
  return made;
}

std::vector<std::int64_t> Calls::saved(std::size_t most, const Phases& phases) const {
  struct Entry {
    const std::vector<Run>* runs;
    Group::Key key;
    Counter counter;
  };
  std::vector<Entry> entries;
  for (const auto& [runs, group] : groups_)
    for (const auto& [key, counter] : group.counters_)
      if (counter.messages > 0) entries.push_back({&runs, key, counter});
  std::uint64_t left_out = left_out_.messages;
  if (entries.size() > most) {
    std::ranges::stable_sort(entries, std::greater(),
                             [](const Entry& each) { return each.counter.bytes; });
    for (std::size_t i = most; i < entries.size(); ++i) left_out += entries[i].counter.messages;
    entries.resize(most);
  }
  std::map<const std::vector<Run>*, std::int64_t> group_numbers;
  std::vector<std::int64_t> groups;
  for (const Entry& each : entries) {
    if (!group_numbers.emplace(each.runs, group_numbers.size()).second) continue;
    groups.push_back(static_cast<std::int64_t>(each.runs->size()));
    for (const Run& run : *each.runs) groups.insert(groups.end(), {run.first, run.count, run.step});
  }
  std::vector<std::int64_t> result{static_cast<std::int64_t>(left_out),
                                   static_cast<std::int64_t>(algorithms_.size())};
  for (const std::string& each : algorithms_) {
    result.push_back(static_cast<std::int64_t>(each.size()));
    result.insert(result.end(), each.begin(), each.end());
  }
  result.push_back(static_cast<std::int64_t>(group_numbers.size()));
  result.insert(result.end(), groups.begin(), groups.end());
  result.push_back(static_cast<std::int64_t>(entries.size()));
  for (const Entry& each : entries) {
    const auto calls = each.counter.messages;
    const auto mean = (each.counter.bytes + calls / 2) / calls;
    result.insert(result.end(),
                  {group_numbers[each.runs], each.key.routine, each.key.is_blocking ? 1 : 0,
                   each.key.root, static_cast<std::int64_t>(mean), static_cast<std::int64_t>(calls),
                   phases.number(each.key.phase), each.key.algorithm});
  }
  return result;
}

}  // namespace toccata::recording
