#include "writing/flat.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "writing/count.h"
#include "writing/registry.h"

namespace toccata {

Flat::Flat(const Collective& collective, std::string_view name, int number)
    : algorithm_(*find_algorithm(collective, name)),
      radix_(number),
      parameters_(algorithm_.parameters) {
  for (const Parameter& parameter : algorithm_.parameters) {
    const bool is_radix = parameter.name == "radix" || parameter.name == "in_flight";
    parameters_.set(parameter, is_radix && number > 0 ? number : parameter.flat);
  }
}

std::optional<Cost> Flat::claim_of_allreduce(int p, bool in_place) const {
  Cost cost = claim(p);
  if (algorithm_.name == "ring")
    cost.copied = in_place ? 0 : 1;
  else if (algorithm_.name != "recursive_doubling")
    return {};
  else if (in_place && p == 3)  // no rank combines an odd number of operands from above
    cost.copied = 0;
  return cost;
}

// The results are stored, because every rank of every team calls this with the same few sizes.
const Flat::Extent& Flat::extent(int p) const {
  static std::map<std::tuple<const Algorithm*, int, int>, Extent> known;
  static std::mutex mutex;  // guards it; its entries stay
  const std::tuple key(&algorithm_, radix_, p);
  {
    const std::lock_guard lock(mutex);
    const auto entry = known.find(key);
    if (entry != known.end()) return entry->second;
  }
  Extent found;
  for (const int rank : {0, 1, p - 1}) {
    if (rank >= p) continue;
    const Schedule own = schedule(p, rank);
    Counter counter;
    counter.add(own);
    const Cost& cost = counter.cost();
    found.rounds = std::max(found.rounds, own.rounds());
    found.segment_interval = std::max<std::int64_t>(
        {found.segment_interval, cost.messages, cost.rounds - cost.messages});
  }
  const std::lock_guard lock(mutex);
  return known.emplace(key, found).first->second;
}

}  // namespace toccata
