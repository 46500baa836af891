#include "mpi/data/binding.h"

#include <algorithm>
#include <numeric>

namespace toccata {

namespace {

// Adds a run; extends the last one if both are contiguous.
void append(std::vector<Run>& runs, const Run& run) {
  if (run.bytes() == 0) return;
  if (!runs.empty() && runs.back().traits == run.traits && runs.back().end() == run.address)
    runs.back().elements += run.elements;
  else
    runs.push_back(run);
}

}  // namespace

void Layout::vector(void* base, const DatatypeTraits& traits, int blocks, Integers counts,
                    Integers displacements) {
  base_ = static_cast<char*>(base);
  traits_ = traits;
  uniform_ = false;
  parts_ = 1;
  own_traits_.clear();
  counts_.resize(blocks);
  offsets_.resize(blocks);
  for (int block = 0; block < blocks; ++block) {
    counts_[block] = counts[block];
    offsets_[block] = displacements[block] * traits.extent;
  }
}

void Layout::vector(void* base, std::vector<DatatypeTraits> traits, Integers counts,
                    Integers displacements) {
  vector(base, DatatypeTraits{.extent = 1}, static_cast<int>(traits.size()), counts, displacements);
  own_traits_ = std::move(traits);
}

void Layout::sequence(const DatatypeTraits& traits, std::vector<std::int64_t> counts) {
  traits_ = traits;
  uniform_ = false;
  parts_ = 1;
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

void Layout::cut(int parts) {
  if (uniform_ && elements_ % parts == 0) {
    elements_ /= parts;
    return;
  }
  uniform_ = false;
  parts_ = parts;
}

void Layout::count_bytes() {
  elements_ *= traits_.size;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    counts_[i] *= traits(static_cast<std::int64_t>(i)).size;
  traits_ = packed_traits();
  own_traits_.clear();
}

bool Layout::is_plain(int blocks) const {
  if (blocks == 0 || own_traits_.empty()) return blocks == 0 || traits_.plain;
  return std::ranges::all_of(own_traits_, &DatatypeTraits::plain);
}

Room Layout::copy_of(const Layout& other, int blocks, bool typed) {
  const DatatypeTraits traits = typed ? other.traits() : packed_traits();
  const auto size = [&](int block) { return typed ? other.elements(block) : other.bytes(block); };
  if (other.is_uniform()) {
    uniform(nullptr, traits, size(0));
    return room_for(traits, blocks * elements_);
  }
  std::vector<std::int64_t> sizes(blocks);
  for (int block = 0; block < blocks; ++block) sizes[block] = size(block);
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  sequence(traits, std::move(sizes));
  return room_for(traits, total);
}

// Ranks agree on a block's bytes, but not on its number of elements; only the operands of a
// reduction have equal elements. So parts are cut by bytes. If memcpy cannot move the data, it is
// packed first.
void Binding::make_stand_ins(const Units& units) {
  const auto stand_in = [&](StandIn& its, Layout& layout, int blocks) {
    its.callers = layout;
    its.blocks = blocks;
    its.room = its.own.copy_of(its.callers, blocks, units.reduces);
    layout = its.own;
  };
  const bool by_bytes = units.parts > 1 && !units.reduces;
  if (copies_send || (by_bytes && !send.is_plain(units.send)))
    stand_in(send_copy, send, units.send);
  if (by_bytes && !recv.is_plain(units.recv)) stand_in(recv_copy, recv, units.recv);
  if (units.parts == 1) return;
  for (Layout* each : {&send, &recv}) {
    if (by_bytes) each->count_bytes();
    each->cut(units.parts);
  }
}

Room Binding::bind_scratch(const Schedule& schedule, bool reduces) {
  const BlockRanges& like = schedule.scratch();
  if (like.empty()) return {};
  const Layout& first = (*this)[like.front().buffer];
  const DatatypeTraits traits = reduces ? first.traits() : packed_traits();
  const auto size = [&](const Layout& layout, int block) {
    return reduces ? layout.elements(block) : layout.bytes(block);
  };
  const bool alike = std::ranges::all_of(like, [&](const BlockRange& range) {
    const Layout& each = (*this)[range.buffer];
    return each.is_uniform() && size(each, 0) == size(first, 0);
  });
  if (alike) {
    scratch.uniform(nullptr, traits, size(first, 0));
    return room_for(traits, blocks(like) * size(first, 0));
  }
  std::vector<std::int64_t> sizes;
  for (const BlockRange& range : like)
    for_each_block(range, [&](int block) { sizes.push_back(size((*this)[range.buffer], block)); });
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  scratch.sequence(traits, std::move(sizes));
  return room_for(traits, total);
}

}  // namespace toccata
