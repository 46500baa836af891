#include "topology/machine.h"

#include <algorithm>
#include <cassert>

namespace toccata {

Machine::Machine(std::vector<Level> levels, std::optional<Mesh> network)
    : levels_(std::move(levels)), network_(std::move(network)) {
  assert(!levels_.empty());
  assert(!network_ || network_->cells() == objects(0));
  for ([[maybe_unused]] const Level& each : levels_) assert(std::ranges::is_sorted(each.outer));
}

int Machine::find(std::string_view name) const {
  const auto found = std::ranges::find(levels_, name, &Level::name);
  return found == levels_.end() ? -1 : static_cast<int>(found - levels_.begin());
}

int Machine::ancestor(int level, int object, int at) const {
  for (; level > at; --level) object = outer(level, object);
  return object;
}

}  // namespace toccata
