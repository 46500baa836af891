#include "mpi/binding.h"

#include <algorithm>
#include <numeric>

namespace toccata {

namespace {

// Adds a run, as part of the last one where it continues it.
void append(std::vector<Run>& runs, const Run& run) {
  if (run.elements == 0) return;
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
  counts_.assign(counts, counts + blocks);
  displacements_.assign(displacements, displacements + blocks);
}

void Layout::sequence(const DatatypeTraits& traits, std::vector<std::int64_t> counts) {
  traits_ = traits;
  uniform_ = false;
  counts_ = std::move(counts);
  displacements_.resize(counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), displacements_.begin(), std::int64_t{0});
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

std::int64_t Binding::bind_scratch(const Schedule& schedule) {
  const BlockRanges& like = schedule.scratch();
  if (like.empty()) return 0;
  const DatatypeTraits bytes{MPI_PACKED, 1, 1, true};

  const Layout& first = (*this)[like.front().buffer];
  const bool alike = std::ranges::all_of(like, [&](const BlockRange& range) {
    const Layout& layout = (*this)[range.buffer];
    return layout.is_uniform() && layout.bytes(0) == first.bytes(0);
  });
  if (alike) {
    scratch.uniform(nullptr, bytes, first.bytes(0));
    return blocks(like) * first.bytes(0);
  }
  std::vector<std::int64_t> sizes;
  for (const BlockRange& range : like)
    for_each_block(range, [&](int block) { sizes.push_back((*this)[range.buffer].bytes(block)); });
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  scratch.sequence(bytes, std::move(sizes));
  return total;
}

}  // namespace toccata
