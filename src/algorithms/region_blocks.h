#pragma once

#include "schedule/block_range.h"
#include "topology/placement.h"

namespace toccata {

// Of a recv with a block for every rank: the blocks of these ranks, which ascend.
BlockRanges blocks_of(std::span<const int> ranks);

// The blocks of `count` regions from `first` on, the last followed by the first: one range or two
// where regions are ranks in a row, and the same on every rank in any case.
BlockRanges blocks_of(const Regions& regions, int first, int count);

}  // namespace toccata
