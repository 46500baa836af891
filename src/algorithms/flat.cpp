#include "algorithms/flat.h"

#include <algorithm>

#include "algorithms/count.h"
#include "algorithms/registry.h"

namespace toccata {

Flat::Flat(const Collective& collective, std::string_view name)
    : algorithm_(*find_algorithm(collective, name)), parameters_(algorithm_.parameters) {
  for (const Parameter& parameter : algorithm_.parameters) {
    if (parameter.name == "segments") parameters_.set(parameter, 1);
    if (parameter.name == "rotation")
      for (int value = 0; value <= parameter.most; ++value)
        if (parameter.text(value) == "none") parameters_.set(parameter, value);
  }
}

int Flat::rounds(int p) const {
  int most = 0;
  for (const int rank : {0, 1, p - 1})
    if (rank < p) most = std::max(most, schedule(p, rank).rounds());
  return most;
}

int Flat::busy(int p) const {
  std::int64_t most = 0;
  for (const int rank : {0, 1, p - 1}) {
    if (rank >= p) continue;
    Counter counter;
    counter.add(schedule(p, rank));
    const Cost& cost = counter.cost();
    most = std::max({most, cost.messages, cost.rounds - cost.messages});
  }
  return static_cast<int>(most);
}

}  // namespace toccata
