#include "deciding/rules.h"

#include <algorithm>

namespace toccata {

void Rules::know_collectives() {
  for (const Collective* collective : collectives()) asked_.push_back({collective});
}

const SizedChoice& Rules::asked(const Collective& collective) const {
  static const SizedChoice native;
  const auto found = std::ranges::find(asked_, &collective, &Asked::collective);
  return found == asked_.end() ? native : found->choice;
}

const Choice& Rules::around_slow_links(const Collective& collective, std::int64_t bytes) const {
  static const Choice native;
  const auto found =
      std::ranges::find(around_slow_links_, &collective, [](auto& each) { return each.first; });
  return found == around_slow_links_.end() || bytes < 0 ? native : found->second.at(bytes);
}

bool Rules::names(const Collective& collective) const {
  return std::ranges::find(asked_, &collective, &Asked::collective)->is_set;
}

bool Rules::chooses(const Collective& collective) const {
  return chooses_ && !names(collective) && !(reproducible_ && collective.reduces);
}

}  // namespace toccata
