#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/collective.h"

namespace toccata {

// The time of a rank in a call, in nanoseconds of a clock that all ranks share.
struct Stay {
  std::int64_t arrived = 0, left = 0;
};

// A rank waits until the last rank arrives whose data it needs. After that, it works.
struct Wait {
  std::int64_t waited = 0, worked = 0;
  int for_rank = -1;  // the awaited rank; -1 if this rank did not wait
};

// The waits of all ranks in one call. In a broadcast, only the root is awaited; in a reduction to
// one rank, only the root waits; in a scan, a rank waits for lower ranks.
std::vector<Wait> waits(const Collective& collective, int root, std::span<const Stay> stays);

// Whether the times contradict each other: a rank left before a rank arrived that it had to await.
// Clocks may differ by `error` nanoseconds.
bool contradict(const Collective& collective, int root, std::span<const Stay> stays,
                std::int64_t error);

}  // namespace toccata
