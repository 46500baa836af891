#include "topology/reorder/distance.h"

namespace toccata {

int distance(const Placement& placement, int a, int b) {
  const Machine& machine = placement.machine();
  const int common = placement.common_level(a, b);
  if (common >= 0) return machine.innermost() - common;
  const auto cell = [&](int rank) {
    const Place& place = placement.place(rank);
    return machine.ancestor(place.level, place.object, 0);
  };
  return machine.innermost() + (machine.network() ? machine.network()->hops(cell(a), cell(b)) : 1);
}

}  // namespace toccata
