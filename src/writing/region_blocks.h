#pragma once

#include "schedule/block_range.h"
#include "topology/placement.h"

namespace toccata {

// The blocks of these ranks, in a recv with one block per rank. The ranks must be in ascending
// order.
BlockRanges blocks_of(std::span<const int> ranks);

// The blocks of `count` regions from `first` on; region 0 follows the last one. These are one or
// two ranges if regions consist of consecutive ranks. The result is the same on every rank.
BlockRanges blocks_of(const Regions& regions, int first, int count);

}  // namespace toccata
