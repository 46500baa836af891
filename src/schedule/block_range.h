#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace toccata {

// The buffers that a schedule names. `send` is read only.
enum class Buffer : std::uint8_t { send, recv, scratch };

const char* name(Buffer buffer);

// `repeat` runs of `count` consecutive blocks of one buffer; the runs start `stride` blocks apart.
//
//   {recv, first 1, count 2, stride 4, repeat 2}   blocks  . 1 2 . . 5 6 .
//
// One range describes the blocks of a Bruck round, for any p. The order of the blocks matters: the
// i-th block sent is the i-th block received. A negative stride runs downwards.
struct BlockRange {
  Buffer buffer = Buffer::recv;
  std::int32_t first = 0;
  std::int32_t count = 1;
  std::int32_t stride = 0;
  std::int32_t repeat = 1;

  std::int64_t blocks() const { return std::int64_t{count} * repeat; }
  bool consecutive() const { return repeat == 1 || stride == count; }

  bool operator==(const BlockRange&) const = default;
};

using BlockRanges = std::vector<BlockRange>;

inline BlockRange send(int first, int count = 1) { return {Buffer::send, first, count}; }
inline BlockRange recv(int first, int count = 1) { return {Buffer::recv, first, count}; }

std::int64_t blocks(std::span<const BlockRange> ranges);

// Does the same as `append`, but more slowly if a run grows.
void append_any(BlockRanges& ranges, const BlockRange& range);

// Appends `range`; merges it into the last one if both together are one range.
inline void append(BlockRanges& ranges, const BlockRange& range) {
  if (!ranges.empty() && range.repeat == 1) {
    BlockRange& last = ranges.back();
    if (last.repeat == 1 && last.buffer == range.buffer && last.first + last.count == range.first) {
      last.count += range.count;
      return;
    }
  }
  append_any(ranges, range);
}

// The `count` blocks first, first + step, ... of a buffer whose `modulus` blocks form a circle. The
// number of ranges is at most one more than the number of times that the walk passes the end.
BlockRanges circular(Buffer buffer, std::int64_t first, int count, int modulus, int step = 1);

// `ranges` of the blocks 0 to modulus - 1, moved up by `shift` places on that circle. Each range
// becomes at most four ranges.
BlockRanges circular(const BlockRanges& ranges, std::int64_t shift, int modulus);

// Runs of `count` blocks from `first` on, `stride` apart, up to block `limit` - 1.
//
//   first 1, count 2, stride 4, limit 10   blocks  . 1 2 . . 5 6 . . 9
BlockRanges runs_below(Buffer buffer, std::int64_t first, std::int64_t count, std::int64_t stride,
                       int limit);

// Calls visit(block) for every block, in order.
template <typename Visit>
void for_each_block(const BlockRange range, Visit&& visit) {
  for (std::int32_t run = 0; run < range.repeat; ++run) {
    const std::int32_t first = range.first + run * range.stride;
    for (std::int32_t i = 0; i < range.count; ++i) visit(first + i);
  }
}

}  // namespace toccata
