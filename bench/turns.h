#pragma once

#include <array>
#include <cstddef>

namespace toccata {

// The algorithm (of n) at position i of a repetition. In 2n repetitions, each algorithm follows
// every other one equally often. This matters because the previous algorithm determines the
// contents of the caches. The order is Williams' design, forwards and backwards:
//
//   n = 4    0 1 3 2    2 3 1 0    1 2 0 3    3 0 2 1    ...
constexpr std::size_t turn(std::size_t i, std::size_t repetition, std::size_t n) {
  if (repetition % 2 == 1) i = n - 1 - i;
  const std::size_t place = i % 2 == 1 ? (i + 1) / 2 : n - i / 2;
  return (place + repetition / 2) % n;
}

template <std::size_t n>
constexpr bool is_balanced() {
  std::array<std::array<int, n>, n> behind{};
  for (std::size_t repetition = 0; repetition < 2 * n; ++repetition)
    for (std::size_t i = 1; i < n; ++i)
      ++behind[turn(i - 1, repetition, n)][turn(i, repetition, n)];
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (behind[a][b] != (a == b ? 0 : 2)) return false;
  return true;
}
static_assert(is_balanced<2>() && is_balanced<3>() && is_balanced<8>() && is_balanced<13>());

}  // namespace toccata
