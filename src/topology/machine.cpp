#include "topology/machine.h"

#include <algorithm>
#include <cassert>

namespace toccata {

Machine::Machine(std::vector<Level> levels, std::optional<Mesh> network,
                 std::shared_ptr<const PackedTrees> trees)
    : levels_(std::move(levels)), network_(std::move(network)), trees_(std::move(trees)) {
  assert(!levels_.empty());
  assert(!network_ || network_->cells() == objects(0));
  for ([[maybe_unused]] const Level& each : levels_) {
    assert(std::ranges::is_sorted(each.outer));
    assert(each.labels.empty() || each.labels.size() == each.outer.size());
  }
}

int Machine::find(std::string_view name) const {
  const auto found = std::ranges::find(levels_, name, &Level::name);
  return found == levels_.end() ? -1 : static_cast<int>(found - levels_.begin());
}

std::string_view Machine::label(int level, int object) const {
  const std::vector<std::string>& labels = levels_[level].labels;
  return labels.empty() ? std::string_view{} : labels[object];
}

std::vector<int> Machine::counts(int level) const {
  std::vector<int> result(level == 0 ? 1 : objects(level - 1));
  for (const int outer : levels_[level].outer) ++result[outer];
  return result;
}

int Machine::ancestor(int level, int object, int at) const {
  for (; level > at; --level) object = outer(level, object);
  return object;
}

}  // namespace toccata
