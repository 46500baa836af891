#pragma once

#include <bit>
#include <cstdint>

namespace toccata {

// The sizes of calls that share a decision, in bytes.
struct SizeRange {
  std::int64_t least, most;
};

// The range of a size: from one power of two (exclusive) to the next. For rounding sums, half of
// that. Rules alone decide about these, without trials that would need many calls, and the shorter
// the range, the more choices are right for all of its sizes.
inline SizeRange size_range(std::int64_t bytes, bool keeps_order) {
  if (bytes <= 1) return {bytes, bytes};
  const auto most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  if (!keeps_order) return {most / 2 + 1, most};
  const std::int64_t middle = most / 2 + most / 4;
  return bytes <= middle ? SizeRange{most / 2 + 1, middle} : SizeRange{middle + 1, most};
}

}  // namespace toccata
