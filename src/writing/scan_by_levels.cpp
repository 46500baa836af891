#include "writing/scan_by_levels.h"

#include <algorithm>

namespace toccata {

Runs::Runs(const Shape& shape) : ends_{{shape.p}} {
  for (const int level : Levels::chosen(shape, Levels::which())) {
    const Regions& regions = shape.placement->regions(level);
    std::vector<int> ends;
    for (int rank = 1; rank <= shape.p; ++rank)
      if (rank == shape.p || regions.of(rank) != regions.of(rank - 1)) ends.push_back(rank);
    const auto number = static_cast<int>(ends.size());
    if (number > static_cast<int>(ends_.back().size()) && number < shape.p)
      ends_.push_back(std::move(ends));
  }
}

int Runs::end(int level, int rank) const { return *std::ranges::upper_bound(ends_[level], rank); }

int Runs::begin(int level, int rank) const {
  const auto end = std::ranges::upper_bound(ends_[level], rank);
  return end == ends_[level].begin() ? 0 : *(end - 1);
}

std::vector<int> Runs::team(int level, int rank) const {
  std::vector<int> ranks;
  const int first = begin(level, rank), behind = end(level, rank);
  if (level == innermost()) {
    for (int each = first; each < behind; ++each) ranks.push_back(each);
  } else if (end(level + 1, rank) == rank + 1) {
    const std::vector<int>& ends = ends_[level + 1];
    for (auto each = std::ranges::upper_bound(ends, first); each != ends.end() && *each <= behind;
         ++each)
      ranks.push_back(*each - 1);
  }
  return ranks;
}

int Runs::rounds(int level, const Flat& flat) const {
  const std::vector<int>& ends = ends_[level];
  std::vector<bool> asked(ends.back() + 1);  // by team size
  int most = 0, first = 0, before = 0;
  for (const int behind : ends) {
    int size = behind - first;
    if (level < innermost()) {
      const std::vector<int>& further_in = ends_[level + 1];
      for (size = 0; before < std::ssize(further_in) && further_in[before] <= behind; ++before)
        ++size;
    }
    if (!asked[size]) most = std::max(most, flat.rounds(size));
    asked[size] = true;
    first = behind;
  }
  return most;
}

ScanByLevels::ScanByLevels(const Shape& shape, int rank, ScheduleBuilder& schedule)
    : runs_(shape), p_(shape.p), rank_(rank), schedule_(schedule), before_(runs_.innermost()) {
  schedule.round();
}

BlockRange ScanByLevels::room(int blocks) {
  schedule_.scratch(BlockRanges(blocks, send(0)));
  rooms_ += blocks;
  return {Buffer::scratch, rooms_ - blocks, blocks};
}

// Runs a collective in the rank's team, with rounds aligned to those of other teams.
void ScanByLevels::run(int level, const Flat& flat, std::vector<int> team, const BlockRange& from,
                       const BlockRange& into) {
  const int rounds = runs_.rounds(level, flat);
  Schedule own;
  if (!team.empty()) {
    const auto place = std::ranges::find(team, rank_) - team.begin();
    own = on(team, flat.schedule(static_cast<int>(team.size()), static_cast<int>(place)),
             BlockMap::affine(from.buffer, from.first), BlockMap::affine(into.buffer, into.first),
             rooms_);
    room(static_cast<int>(blocks(own.scratch())));
  }
  for (int i = 0; i < rounds; ++i) {
    schedule_.round();
    if (i < own.rounds()) schedule_.merge_round(own, i);
  }
}

void ScanByLevels::inclusive() {
  run(runs_.innermost(), Flat(scan, "recursive_doubling"), runs_.team(runs_.innermost(), rank_),
      send(0), recv(0));
  outwards(recv(0));
  inwards(recv(0), true);
}

// With MPI_IN_PLACE, the result will replace our contribution, so a rank that needs it later makes
// a copy.
void ScanByLevels::exclusive() {
  const std::vector<int> team = runs_.team(runs_.innermost(), rank_);
  const bool hands_on = runs_.innermost() > 0 && team.back() == rank_ && rank_ < p_ - 1;
  const bool is_first = team.front() == rank_;
  const BlockRange sum = hands_on ? room() : send(0);
  if (hands_on) schedule_.copy(send(0), sum);
  run(runs_.innermost(), Flat(exscan, "recursive_doubling"), team, send(0), recv(0));
  if (hands_on && !is_first) schedule_.reduce(recv(0), sum);
  outwards(sum);
  inwards(recv(0), !is_first);
}

std::optional<Cost> ScanByLevels::claim(const Shape& shape, const Collective& collective) {
  if (Runs(shape).innermost() > 0) return {};
  return Flat(collective, "recursive_doubling").claim(shape.p);
}

void ScanByLevels::outwards(BlockRange sum) {
  const Flat flat(exscan, "recursive_doubling");
  for (int level = runs_.innermost() - 1; level >= 0; --level) {
    const std::vector<int> team = runs_.team(level, rank_);
    if (!team.empty()) before_[level] = room();
    run(level, flat, team, sum, before_[level]);
    if (level == 0 || team.size() < 2 || team.back() != rank_ || rank_ == p_ - 1) continue;
    const BlockRange wider = room();  // the contribution of this level's run
    schedule_.copy(sum, wider).reduce(before_[level], wider);
    sum = wider;
  }
}

void ScanByLevels::inwards(const BlockRange& result, bool holds) {
  const Flat flat(bcast, "binomial");
  for (int level = 1; level <= runs_.innermost(); ++level) {
    std::vector<int> team = runs_.team(level, rank_);
    if (!runs_.has_before(level, rank_)) team.clear();
    const bool is_innermost = level == runs_.innermost();
    const BlockRange into = is_innermost ? result : before_[level];
    const bool adds = is_innermost ? holds : !team.empty() && team.front() != rank_;
    const bool is_last = !team.empty() && team.back() == rank_;
    const BlockRange all = is_last ? before_[level - 1] : adds && !team.empty() ? room() : into;
    std::ranges::reverse(team);  // the last is the root
    run(level, flat, team, send(0), all);
    if (team.empty()) continue;
    if (adds)
      schedule_.reduce(all, into);
    else if (is_last && is_innermost)
      schedule_.copy(all, into);
    else if (is_last)
      before_[level] = all;
  }
}

}  // namespace toccata
