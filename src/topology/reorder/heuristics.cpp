#include "topology/reorder/heuristics.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "topology/reorder/free_cores.h"

namespace toccata {

namespace {

// [mirsadeghi2016, algorithm 1]: rank 0 keeps its core, every other rank is placed as close as
// possible to a mapped reference.
class Scheme {
 public:
  Scheme(const Placement& placement, const MappingOptions& options)
      : cores_(placement, options.seed), mapping_(placement.p(), -1) {
    mapping_[0] = options.root;
    cores_.take(options.root);
  }

  int p() const { return static_cast<int>(mapping_.size()); }
  bool is_mapped(int rank) const { return mapping_[rank] >= 0; }
  void map(int rank, int reference) {
    mapping_[rank] = cores_.take_closest_to(mapping_[reference]);
  }
  Mapping result() && { return std::move(mapping_); }

 private:
  FreeCores cores_;
  Mapping mapping_;
};

void map_subtree(Scheme& scheme, int parent) {
  for (int i = 1; (parent & i) == 0 && parent + i < scheme.p(); i *= 2) {
    scheme.map(parent + i, parent);
    map_subtree(scheme, parent + i);
  }
}

}  // namespace

Mapping identity(int p) {
  Mapping result(p);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

Mapping inverse(const Mapping& mapping) {
  Mapping result(mapping.size());
  for (std::size_t i = 0; i < mapping.size(); ++i) result[mapping[i]] = static_cast<int>(i);
  return result;
}

Mapping rdmh(const Placement& placement, const MappingOptions& options) {
  const int p = placement.p();
  assert(std::has_single_bit(static_cast<unsigned>(p)));
  Scheme scheme(placement, options);
  int reference = 0, i = p / 2;
  for (int mapped = 1; mapped < p; ++mapped) {
    while (scheme.is_mapped(reference ^ i)) i /= 2;
    const int rank = reference ^ i;
    scheme.map(rank, reference);
    if (mapped % 2 == 0) {  // the second one for this reference
      reference = rank;
      i = p / 2;
    }
  }
  return std::move(scheme).result();
}

Mapping rmh(const Placement& placement, const MappingOptions& options) {
  Scheme scheme(placement, options);
  for (int rank = 1; rank < scheme.p(); ++rank) scheme.map(rank, rank - 1);
  return std::move(scheme).result();
}

Mapping bbmh(const Placement& placement, const MappingOptions& options) {
  Scheme scheme(placement, options);
  map_subtree(scheme, 0);
  return std::move(scheme).result();
}

Mapping bgmh(const Placement& placement, const MappingOptions& options) {
  Scheme scheme(placement, options);
  const int p = scheme.p();
  std::vector<int> references{0};
  for (auto i = static_cast<int>(std::bit_ceil(static_cast<unsigned>(p)) / 2); i > 0; i /= 2) {
    const std::size_t before = references.size();  // ranks mapped for this i have no child for it
    for (std::size_t each = 0; each < before; ++each) {
      const int rank = references[each] + i;
      if (rank >= p) continue;
      scheme.map(rank, references[each]);
      references.push_back(rank);
    }
  }
  return std::move(scheme).result();
}

Mapping bkmh(const Placement& placement, const MappingOptions& options) {
  const Mapping cores = rmh(placement, options);
  const int p = placement.p();
  const int digits = std::bit_width(static_cast<unsigned>(p) - 1U);
  Mapping result(p);
  int next = 0;
  for (unsigned i = 0; i < 1U << digits; ++i) {
    unsigned reversed = 0;
    for (int digit = 0; digit < digits; ++digit)
      reversed |= (i >> digit & 1U) << (digits - 1 - digit);
    if (reversed < static_cast<unsigned>(p)) result[reversed] = cores[next++];
  }
  return result;
}

}  // namespace toccata
