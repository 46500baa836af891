#pragma once

#include <bit>
#include <cstdint>

namespace toccata {

// The sizes in bytes for which one decision is made: those from one power of two (exclusive) to the
// next. Sizes that ranks do not know of each other (-1) are one class; so are 0 and 1.
struct SizeRange {
  std::int64_t least, most;
};

constexpr SizeRange size_class_of(std::int64_t bytes) {
  if (bytes <= 1) return {bytes, bytes};
  const auto most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  return {most / 2 + 1, most};
}

}  // namespace toccata
