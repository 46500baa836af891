#include "mpi/binding.h"

#include <algorithm>
#include <numeric>

namespace toccata {

namespace {

// Adds a run, as part of the last one where it continues it.
void append(std::vector<Run>& runs, const Run& run) {
  if (run.bytes() == 0) return;
  if (!runs.empty() && runs.back().traits == run.traits && runs.back().end() == run.address)
    runs.back().elements += run.elements;
  else
    runs.push_back(run);
}

}  // namespace

void Layout::vector(void* base, const DatatypeTraits& traits, int blocks, const int* counts,
                    const int* displacements) {
  base_ = static_cast<char*>(base);
  traits_ = traits;
  uniform_ = false;
  own_traits_.clear();
  counts_.assign(counts, counts + blocks);
  offsets_.assign(displacements, displacements + blocks);
  for (std::int64_t& offset : offsets_) offset *= traits.extent;
}

void Layout::vector(void* base, std::vector<DatatypeTraits> traits, const int* counts,
                    const int* displacements) {
  const auto blocks = traits.size();
  base_ = static_cast<char*>(base);
  uniform_ = false;
  own_traits_ = std::move(traits);
  counts_.assign(counts, counts + blocks);
  offsets_.assign(displacements, displacements + blocks);
}

void Layout::sequence(const DatatypeTraits& traits, std::vector<std::int64_t> counts) {
  traits_ = traits;
  uniform_ = false;
  own_traits_.clear();
  counts_ = std::move(counts);
  offsets_.resize(counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), offsets_.begin(), std::int64_t{0});
  for (std::int64_t& offset : offsets_) offset *= traits.extent;
}

void Layout::append_runs(const BlockRange& range, std::vector<Run>& runs) const {
  if (!uniform_) {
    for_each_block(range, [&](int each) { append(runs, block(each)); });
    return;
  }
  for (int i = 0; i < range.repeat; ++i) {
    Run run = block(range.first + std::int64_t{i} * range.stride);
    run.elements *= range.count;
    append(runs, run);
  }
}

std::int64_t Binding::bind_packed(Layout& layout, const BlockRanges& like) const {
  if (like.empty()) return 0;
  const Layout& first = (*this)[like.front().buffer];
  const bool alike = std::ranges::all_of(like, [&](const BlockRange& range) {
    const Layout& each = (*this)[range.buffer];
    return each.is_uniform() && each.bytes(0) == first.bytes(0);
  });
  if (alike) {
    const std::int64_t size = first.bytes(0);
    layout.uniform(nullptr, packed_traits(), size);
    return blocks(like) * size;
  }
  std::vector<std::int64_t> sizes;
  for (const BlockRange& range : like)
    for_each_block(range, [&](int block) { sizes.push_back((*this)[range.buffer].bytes(block)); });
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  layout.sequence(packed_traits(), std::move(sizes));
  return total;
}

}  // namespace toccata
