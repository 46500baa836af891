#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// What crosses the borders of one level, that is, goes between ranks that share no region of it.
// A message that crosses a level crosses all levels further in.
struct Crossing {
  struct Count {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;

    bool operator==(const Count&) const = default;
  };
  std::string_view level;      // a name in the shape's machine
  Count rank;                  // the most that a rank sends across: each number for itself
  Count region;                // the most that leaves a region
  Count total;                 // of all ranks
  std::vector<Count> regions;  // what leaves each region, in the order of Placement::regions
};

// One for each level of the machine, outermost first; none where the placement is not known. The
// shape must be possible and complete. `bytes[d]` is the size of datum d; none given, every block
// has one byte.
std::vector<Crossing> crossings(const Algorithm& algorithm, const Shape& shape,
                                std::span<const std::int64_t> bytes = {});

// The same for schedules from anywhere, by rank.
std::vector<Crossing> crossings(const Collective& collective, const Shape& shape,
                                const std::function<Schedule(int rank)>& schedule_of,
                                std::span<const std::int64_t> bytes = {});

}  // namespace toccata
