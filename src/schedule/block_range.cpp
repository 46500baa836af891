#include "schedule/block_range.h"

#include <algorithm>

namespace toccata {

const char* name(Buffer buffer) {
  switch (buffer) {
    case Buffer::send:
      return "send";
    case Buffer::recv:
      return "recv";
    case Buffer::scratch:
      return "scratch";
  }
  return "?";
}

std::int64_t blocks(std::span<const BlockRange> ranges) {
  std::int64_t total = 0;
  for (const BlockRange& range : ranges) total += range.blocks();
  return total;
}

void append_any(BlockRanges& ranges, const BlockRange& range) {
  if (range.blocks() == 0) return;
  if (range.repeat > 1 && range.consecutive())
    return append(ranges, {range.buffer, range.first, range.count * range.repeat});
  if (ranges.empty() || ranges.back().buffer != range.buffer) {
    ranges.push_back(range);
    return;
  }
  BlockRange& last = ranges.back();
  const auto continues = [&](int stride) {
    return range.count == last.count && range.first == last.first + last.repeat * stride;
  };
  if (range.repeat > 1) {
    if ((last.repeat == 1 || last.stride == range.stride) && continues(range.stride)) {
      last.stride = range.stride;
      last.repeat += range.repeat;
      return;
    }
  } else if (last.repeat > 1) {
    if (continues(last.stride)) {
      ++last.repeat;
      return;
    }
    const int second = last.first + last.stride;
    if (last.repeat == 2 && range.first == second + last.count) {  // prefer a longer run
      const BlockRange longer{last.buffer, second, last.count + range.count};
      last = {last.buffer, last.first, last.count};
      ranges.push_back(longer);
      return;
    }
  } else if (range.first == last.first + last.count) {
    last.count += range.count;
    return;
  } else if (range.count == last.count) {
    last.stride = range.first - last.first;
    last.repeat = 2;
    return;
  }
  ranges.push_back(range);
}

BlockRanges circular(Buffer buffer, std::int64_t first, int count, int modulus, int step) {
  BlockRanges ranges;
  step %= modulus;
  while (count > 0) {
    first = ((first % modulus) + modulus) % modulus;
    // The number of blocks before the walk leaves 0 ... modulus - 1.
    const std::int64_t room = step > 0   ? (modulus - 1 - first) / step + 1
                              : step < 0 ? first / -step + 1
                                         : count;
    const int taken = static_cast<int>(std::min<std::int64_t>(count, room));
    BlockRange run{buffer, static_cast<std::int32_t>(first)};
    if (step == 1) {
      run.count = taken;
    } else if (taken > 1) {
      run.stride = step;
      run.repeat = taken;
    }
    append(ranges, run);
    first += std::int64_t{taken} * step;
    count -= taken;
  }
  return ranges;
}

BlockRanges circular(const BlockRanges& ranges, std::int64_t shift, int modulus) {
  BlockRanges moved;
  const auto add = [&](const BlockRange& range, std::int64_t first, int count, int repeat) {
    append(moved, {range.buffer, static_cast<std::int32_t>(first), count, range.stride, repeat});
  };
  shift = ((shift % modulus) + modulus) % modulus;
  const auto edge = static_cast<int>(modulus - shift);  // the first block that passes the end
  for (const BlockRange& range : ranges) {
    // Runs before the edge, the run across it, runs after it.
    const int room = edge - range.count - range.first;
    const int before = room < 0            ? 0
                       : range.repeat == 1 ? 1
                                           : std::min(range.repeat, room / range.stride + 1);
    add(range, range.first + shift, range.count, before);
    int behind = before;
    const int across = range.first + before * range.stride;
    if (before < range.repeat && across < edge) {
      add(range, across + shift, edge - across, 1);
      add(range, 0, range.count - (edge - across), 1);
      ++behind;
    }
    add(range, range.first + std::int64_t{behind} * range.stride - edge, range.count,
        range.repeat - behind);
  }
  return moved;
}

BlockRanges runs_below(Buffer buffer, std::int64_t first, std::int64_t count, std::int64_t stride,
                       int limit) {
  BlockRanges runs;
  const auto add = [&](std::int64_t from, std::int64_t length, std::int64_t step,
                       std::int64_t repeat) {
    append(runs, {buffer, static_cast<std::int32_t>(from), static_cast<std::int32_t>(length),
                  static_cast<std::int32_t>(step), static_cast<std::int32_t>(repeat)});
  };
  const std::int64_t whole = first + count <= limit ? (limit - count - first) / stride + 1 : 0;
  if (whole > 0) add(first, count, whole > 1 ? stride : 0, whole);
  const std::int64_t next = first + whole * stride;
  if (next < limit) add(next, std::min(count, limit - next), 0, 1);
  return runs;
}

}  // namespace toccata
