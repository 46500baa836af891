#include "topology/reorder/flows.h"

#include <algorithm>
#include <queue>

#include "topology/reorder/distance.h"
#include "topology/reorder/free_cores.h"

namespace toccata {

void Flows::add_row(std::vector<std::pair<int, double>> peers) {
  std::ranges::sort(peers);
  std::vector<Range>& row = rows_.emplace_back();
  for (const auto& [peer, bytes] : peers) {
    if (!row.empty() && row.back().bytes == bytes) {
      Range& last = row.back();
      if (last.count == 1) last.stride = peer - last.first;
      if (peer == last.first + last.count * last.stride) {
        ++last.count;
        continue;
      }
    }
    row.push_back({peer, 1, 1, bytes});
  }
}

Flows Flows::without_uniform() const {
  Flows result;
  for (const std::vector<Range>& row : rows_) {
    std::int64_t peers = 0;
    double least = row.empty() ? 0 : row.front().bytes;
    for (const Range& each : row) {
      peers += each.count;
      least = std::min(least, each.bytes);
    }
    std::vector<Range>& rest = result.rows_.emplace_back(row);
    if (peers + 1 < p()) continue;
    for (Range& each : rest) each.bytes -= least;
    std::erase_if(rest, [](const Range& each) { return each.bytes == 0; });
  }
  return result;
}

std::int64_t Flows::ranges() const {
  std::int64_t result = 0;
  for (const std::vector<Range>& row : rows_) result += static_cast<std::int64_t>(row.size());
  return result;
}

double hop_bytes(const Placement& placement, const Flows& flows, const Mapping& mapping) {
  double result = 0;
  for (int rank = 0; rank < flows.p(); ++rank)
    flows.for_each(rank, [&](int peer, double bytes) {
      result += bytes * distance(placement, mapping[rank], mapping[peer]);
    });
  return result;
}

Neighbours::Neighbours(const Flows& flows) : first_(flows.p() + 1) {
  for (int rank = 0; rank < flows.p(); ++rank)
    flows.for_each(rank, [&](int peer, double) {
      ++first_[rank + 1];
      ++first_[peer + 1];
    });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  all_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (int rank = 0; rank < flows.p(); ++rank)
    flows.for_each(rank, [&](int peer, double bytes) {
      if (peer == rank) return;
      all_[next[rank]++] = {peer, bytes};
      all_[next[peer]++] = {rank, bytes};
    });
  // Partners in both directions are listed twice so far.
  auto to = all_.begin();
  for (int rank = 0; rank < flows.p(); ++rank) {
    const auto begin = all_.begin() + first_[rank], end = all_.begin() + next[rank];
    std::sort(begin, end, [](const auto& a, const auto& b) { return a.rank < b.rank; });
    first_[rank] = to - all_.begin();
    for (auto each = begin; each != end; ++each)
      if (each != begin && each->rank == (to - 1)->rank)
        (to - 1)->bytes += each->bytes;
      else
        *to++ = *each;
  }
  first_.back() = to - all_.begin();
  all_.erase(to, all_.end());
}

namespace {

// The rank with the most traffic comes first; among equals, the lowest rank.
struct Candidate {
  double bytes;
  int rank, reference;
  bool operator<(const Candidate& other) const {
    return bytes != other.bytes ? bytes < other.bytes : rank > other.rank;
  }
};
using Candidates = std::priority_queue<Candidate>;

// Among the unmapped ranks, finds the one with the most traffic to the ranks in the objects that
// are being filled. Bytes to an object weigh a thousandth of those to the next object inwards.
class Filling {
 public:
  Filling(const Placement& placement, const Neighbours& neighbours)
      : placement_(placement), neighbours_(neighbours), mapped_(placement.p()) {
    // All ranks together are the outermost object.
    const int objects = placement.machine().levels() + 1;
    candidates_.resize(objects);
    bytes_.assign(objects, std::vector<double>(placement.p()));
    touched_.resize(objects);
  }

  // Maps `rank` to the core of `core`; `last` was the previous core.
  void put(int rank, int core, int last) {
    mapped_[rank] = true;
    for (int level = placement_.common_level(core, last) + 1; level + 1 < objects(); ++level) {
      for (const int each : touched_[level + 1]) bytes_[level + 1][each] = 0;
      touched_[level + 1].clear();
      candidates_[level + 1] = {};
    }
    for (const Neighbours::Neighbour& each : neighbours_.of(rank)) {
      if (mapped_[each.rank]) continue;
      double sum = 0;
      for (int object = 0; object < objects(); ++object) {
        double& bytes = bytes_[object][each.rank];
        if (bytes == 0) touched_[object].push_back(each.rank);
        bytes += each.bytes;
        sum = sum / 1000 + bytes;
        candidates_[object].push({sum, each.rank, rank});
      }
    }
  }

  // The rank to map next; -1 if no rank communicates with those mapped.
  int next() {
    for (int object = objects() - 1; object >= 0; --object) {
      Candidates& candidates = candidates_[object];
      for (; !candidates.empty(); candidates.pop()) {
        const Candidate& best = candidates.top();
        if (!mapped_[best.rank]) return best.rank;
      }
    }
    return -1;
  }

 private:
  int objects() const { return static_cast<int>(candidates_.size()); }

  const Placement& placement_;
  const Neighbours& neighbours_;
  std::vector<bool> mapped_;
  // By object being filled, outermost first: the traffic of unmapped ranks to the ranks in it. The
  // last and largest entry of a rank counts, because entries are removed only with the whole queue.
  std::vector<Candidates> candidates_;
  std::vector<std::vector<double>> bytes_;
  std::vector<std::vector<int>> touched_;
};

// The lowest unmapped rank.
int lowest_left(const Mapping& mapping, int& from) {
  while (mapping[from] >= 0) ++from;
  return from;
}

Mapping fill(const Placement& placement, const Neighbours& neighbours, const Mapping& cores) {
  const int p = placement.p();
  Mapping mapping(p, -1);
  Filling filling(placement, neighbours);
  int left = 0;
  for (int i = 0; i < p; ++i) {
    int rank = i == 0 ? 0 : filling.next();
    if (rank < 0) rank = lowest_left(mapping, left);
    mapping[rank] = cores[i];
    filling.put(rank, cores[i], cores[i == 0 ? 0 : i - 1]);
  }
  return mapping;
}

Mapping greedy(const Placement& placement, const Neighbours& neighbours,
               const MappingOptions& options) {
  const int p = placement.p();
  Mapping mapping(p, -1);
  FreeCores cores(placement, options.seed);
  Candidates candidates;
  const auto put = [&](int rank, int core) {
    mapping[rank] = core;
    for (const Neighbours::Neighbour& each : neighbours.of(rank))
      if (mapping[each.rank] < 0) candidates.push({each.bytes, each.rank, rank});
  };
  cores.take(options.root);
  put(0, options.root);
  int left = 0;
  for (int i = 1; i < p; ++i) {
    while (!candidates.empty() && mapping[candidates.top().rank] >= 0) candidates.pop();
    const Candidate next =
        candidates.empty() ? Candidate{0, lowest_left(mapping, left), 0} : candidates.top();
    put(next.rank, cores.take_closest_to(mapping[next.reference]));
  }
  return mapping;
}

}  // namespace

Mapping map_flows(const Placement& placement, const Flows& all, const MappingOptions& options) {
  const Flows flows = all.without_uniform();
  const Neighbours neighbours(flows);
  Mapping best = identity(placement.p());
  std::swap(best[0], best[options.root]);
  if (neighbours.empty()) return best;
  const Mapping cores = rmh(placement, options);
  double least = hop_bytes(placement, flows, best);
  const Mapping found = placement.machine().network() ? greedy(placement, neighbours, options)
                                                      : fill(placement, neighbours, cores);
  for (const Mapping& each : {cores, found})
    if (const double sum = hop_bytes(placement, flows, each); sum < least) {
      least = sum;
      best = each;
    }
  return best;
}

}  // namespace toccata
