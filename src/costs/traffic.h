#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "writing/algorithm.h"

namespace toccata {

// The work of one rank in a schedule, or the maximum of each number over several ranks.
struct Traffic {
  std::int64_t rounds = 0;  // with a message; of several ranks: with a message of any of them
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

// `bytes[d]` is the size of datum d; if empty, every block has one byte.
Traffic traffic(const Collective& collective, const Shape& shape, int rank,
                const Schedule& schedule, std::span<const std::int64_t> bytes = {});

// The maximum over all ranks of a possible shape.
Traffic traffic(const Algorithm& algorithm, const Shape& shape,
                std::span<const std::int64_t> bytes = {});

// The same for any schedules, by rank.
Traffic traffic(const Collective& collective, const Shape& shape,
                const std::function<Schedule(int rank)>& schedule_of,
                std::span<const std::int64_t> bytes = {});

}  // namespace toccata
