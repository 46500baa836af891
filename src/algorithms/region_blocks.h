#pragma once

#include "schedule/block_range.h"
#include "topology/placement.h"

namespace toccata {

// In a recv with one block per rank: the blocks of these ranks, which ascend.
BlockRanges blocks_of(std::span<const int> ranks);

// The blocks of `count` regions from `first` on; the first region follows the last. One or two
// ranges if regions consist of consecutive ranks. The result is the same on every rank.
BlockRanges blocks_of(const Regions& regions, int first, int count);

}  // namespace toccata
