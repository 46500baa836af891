#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "writing/algorithm.h"

namespace toccata {

// The traffic across the borders of one level: between ranks that share no region of it. A message
// that crosses a level crosses all levels further in.
struct Crossing {
  struct Count {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;

    bool operator==(const Count&) const = default;
  };
  std::string_view level;      // a name in the shape's machine
  Count rank;                  // the maximum that a rank sends across, for each number separately
  Count region;                // the maximum that leaves a region
  Count total;                 // of all ranks
  std::vector<Count> regions;  // the traffic out of each region, in the order of Placement::regions
};

// One entry per level of the machine, outermost first; none if the placement is unknown. The shape
// must be possible and complete. `bytes[d]` is the size of datum d; if empty, every block has one
// byte.
std::vector<Crossing> crossings(const Algorithm& algorithm, const Shape& shape,
                                std::span<const std::int64_t> bytes = {});

// The same for any schedules, by rank.
std::vector<Crossing> crossings(const Collective& collective, const Shape& shape,
                                const std::function<Schedule(int rank)>& schedule_of,
                                std::span<const std::int64_t> bytes = {});

}  // namespace toccata
