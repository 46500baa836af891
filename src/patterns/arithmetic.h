#pragma once

#include <bit>

namespace toccata {

// `rank` modulo p, from 0 to p - 1: ranks form a circle.
constexpr int wrap(long long rank, int p) {
  const long long rest = rank % p;
  return static_cast<int>(rest < 0 ? rest + p : rest);
}

constexpr bool is_power_of_two(int p) { return std::has_single_bit(static_cast<unsigned>(p)); }

// The least k with 2^k >= p, for p >= 1.
constexpr int ceil_log2(int p) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(p) - 1U));
}

// The greatest k with 2^k <= p, for p >= 1.
constexpr int floor_log2(int p) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(p))) - 1;
}

}  // namespace toccata
