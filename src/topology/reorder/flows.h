#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "topology/reorder/heuristics.h"

namespace toccata {

// The total traffic from each rank to each other rank: a sparse matrix of p rows. Each row consists
// of ranges of peers with equal traffic. A ring has one range per row, Bruck log p, an all-to-all
// two, for any p.
class Flows {
 public:
  // The peers first, first + stride, ...
  struct Range {
    std::int32_t first, count, stride;
    double bytes;  // to each

    bool operator==(const Range&) const = default;
  };

  // Appends the row of the next rank: peers, each once, in any order, and bytes.
  void add_row(std::vector<std::pair<int, double>> peers);

  int p() const { return static_cast<int>(rows_.size()); }
  const std::vector<Range>& row(int rank) const { return rows_[rank]; }
  // Calls visit(peer, bytes) for every flow of a row.
  template <typename Visit>
  void for_each(int rank, Visit&& visit) const {
    for (const Range& each : rows_[rank])
      for (int i = 0; i < each.count; ++i) visit(each.first + i * each.stride, each.bytes);
  }
  // The same without the traffic that is equal for all other ranks, because it decides nothing.
  Flows without_uniform() const;

  std::int64_t ranges() const;

 private:
  std::vector<std::vector<Range>> rows_;
};

// The other ranks with which each rank exchanges bytes, in ascending order, and the bytes in both
// directions together.
class Neighbours {
 public:
  struct Neighbour {
    int rank;
    double bytes;
  };

  explicit Neighbours(const Flows& flows);

  bool empty() const { return all_.empty(); }
  std::span<const Neighbour> of(int rank) const {
    return {all_.data() + first_[rank], first_[rank + 1] - first_[rank]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Neighbour> all_;
};

// Bytes times distance, summed over all flows; mapping[i] has the role of rank i. [hoefler2011]
double hop_bytes(const Placement& placement, const Flows& flows, const Mapping& mapping);

// A mapping for any flows, so that every algorithm has one; `root` keeps the role of rank 0. On a
// tree of levels, cores are filled in the order of rmh. Each gets the rank with the most traffic to
// and from the ranks in the current innermost object; among equals, the traffic with the next
// object outwards decides. On a mesh, the heaviest flow from a mapped to an unmapped rank comes
// next, as close as possible [hoefler2011, the greedy heuristic]. If the result does not have fewer
// hop-bytes than the original order or that of rmh, the better of these two is used. O((p + flows)
// · levels · log p).
Mapping map_flows(const Placement& placement, const Flows& flows,
                  const MappingOptions& options = {});

}  // namespace toccata
