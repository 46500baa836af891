#include "mpi/execution/arena.h"

#include <algorithm>
#include <utility>

namespace toccata {

namespace {

constexpr std::int64_t least_chunk = 16 << 10;
constexpr std::int64_t most_kept = 4 << 20;  // bytes an idle arena may keep

}  // namespace

char* Arena::take(std::int64_t bytes) {
  static constexpr std::int64_t alignment = 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < bytes) {
    const std::int64_t size = std::max(bytes, least_chunk);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, 0});
  }
  Chunk& chunk = chunks_.back();
  chunk.used += bytes;
  return chunk.memory.get() + chunk.used - bytes;
}

void Arena::reset() {
  if (chunks_.empty()) return;
  std::swap(chunks_.front(), chunks_.back());  // the last chunk is the one that was large enough
  chunks_.resize(1);
  chunks_.front().used = 0;
  if (chunks_.front().size > most_kept) chunks_.clear();
}

}  // namespace toccata
