#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "algorithms/algorithm.h"

namespace toccata {

// What one rank does in a schedule, or the largest of each over several ranks.
struct Traffic {
  std::int64_t rounds = 0;  // with a message in them; of several ranks, in which any rank has one
  std::int64_t messages = 0;
  std::int64_t sent = 0;  // blocks
  std::int64_t sent_bytes = 0;
  std::int64_t copied = 0;  // blocks
  std::int64_t copied_bytes = 0;
  std::int64_t reduced = 0;  // blocks
  std::int64_t reduced_bytes = 0;

  bool operator==(const Traffic&) const = default;
};

Traffic largest(const Traffic& one, const Traffic& other);

// `bytes[d]` is the size of datum d; none given, every block has one byte.
Traffic traffic(const Collective& collective, const Shape& shape, int rank,
                const Schedule& schedule, std::span<const std::int64_t> bytes = {});

// The largest over all ranks of a possible shape.
Traffic traffic(const Algorithm& algorithm, const Shape& shape,
                std::span<const std::int64_t> bytes = {});

// The same for schedules from anywhere, by rank.
Traffic traffic(const Collective& collective, const Shape& shape,
                const std::function<Schedule(int rank)>& schedule_of,
                std::span<const std::int64_t> bytes = {});

}  // namespace toccata
