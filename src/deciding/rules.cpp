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

bool Rules::chooses(const Collective& collective) const {
  if (!chooses_ || std::ranges::find(asked_, &collective, &Asked::collective)->is_set) return false;
  if (reproducible_ && collective.reduces) return false;
  const bool all_know_sizes = collective.vector_of == nullptr && !collective.among_neighbors;
  return all_know_sizes || has_files();
}

}  // namespace toccata
