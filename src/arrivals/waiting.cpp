#include "arrivals/waiting.h"

#include <algorithm>

namespace toccata {

namespace {

// The last rank to arrive whose data each rank needs; possibly this rank itself.
std::vector<int> last_needed(const Collective& collective, int root, std::span<const Stay> stays) {
  const int p = static_cast<int>(stays.size());
  std::vector<int> result(p);
  for (int rank = 0; rank < p; ++rank) result[rank] = rank;
  if (collective.contributors != nullptr) {  // those of lower ranks
    for (int rank = 1; rank < p; ++rank)
      if (stays[result[rank - 1]].arrived > stays[rank].arrived) result[rank] = result[rank - 1];
    return result;
  }
  if (collective.comes_from_root()) return std::vector<int>(p, root);
  const auto last = std::ranges::max_element(stays, {}, &Stay::arrived) - stays.begin();
  if (collective.rooted)
    result[root] = static_cast<int>(last);
  else
    std::ranges::fill(result, static_cast<int>(last));
  return result;
}

}  // namespace

std::vector<Wait> waits(const Collective& collective, int root, std::span<const Stay> stays) {
  const std::vector<int> last = last_needed(collective, root, stays);
  std::vector<Wait> result(stays.size());
  for (std::size_t rank = 0; rank < stays.size(); ++rank) {
    const auto [arrived, left] = stays[rank];
    const std::int64_t until = std::clamp(stays[last[rank]].arrived, arrived, left);
    result[rank] = {until - arrived, left - until, until > arrived ? last[rank] : -1};
  }
  return result;
}

bool contradict(const Collective& collective, int root, std::span<const Stay> stays,
                std::int64_t error) {
  const std::vector<int> last = last_needed(collective, root, stays);
  for (std::size_t rank = 0; rank < stays.size(); ++rank)
    if (stays[rank].left + error < stays[last[rank]].arrived) return true;
  return false;
}

}  // namespace toccata
