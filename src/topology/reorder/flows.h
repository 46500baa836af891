#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/reorder/heuristics.h"

namespace toccata {

// How much goes from each rank to which others, in all: a sparse matrix of p rows, each made of
// ranges of peers that get equally much. A ring has one range a row, Bruck log p, an all-to-all
// two, whatever p is.
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
  // The same without what goes to all the others alike, as that decides nothing.
  Flows without_uniform() const;

  std::int64_t ranges() const;

 private:
  std::vector<std::vector<Range>> rows_;
};

// Bytes times distance, summed over all flows, where mapping[i] plays rank i. [hoefler2011]
double hop_bytes(const Placement& placement, const Flows& flows, const Mapping& mapping);

// A mapping for any flows, so that every algorithm has one, with `root` in the place of rank 0. On
// a tree of levels, cores are filled in the order of rmh, each by the rank that gives to and gets
// from the ranks in the innermost object at hand the most, and of those that are equal in that, in
// the next object outwards. On a mesh the heaviest flow from somebody mapped to somebody not comes
// next, as close as can be [hoefler2011, the greedy heuristic]. Where that has no fewer hop-bytes
// than the ranks as they are, or as rmh has them, it is one of these.
// O((p + flows) · levels · log p).
Mapping map_flows(const Placement& placement, const Flows& flows,
                  const MappingOptions& options = {});

}  // namespace toccata
