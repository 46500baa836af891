#pragma once

#include <span>
#include <string_view>

#include "topology/reorder/heuristics.h"

namespace toccata {

// A pattern with a heuristic of its own.
struct Pattern {
  std::string_view name;       // "ring"
  std::string_view heuristic;  // "RMH"
  std::string_view summary;
  Mapping (*map)(const Placement& placement, const MappingOptions& options);
  bool takes_all = true;  // any number of ranks, not only powers of two

  bool is_possible(int p) const;
};

std::span<const Pattern> patterns();
// Null if that name does not exist.
const Pattern* find_pattern(std::string_view name);

}  // namespace toccata
