#pragma once

#include <cstdint>
#include <optional>

#include "selection/choice.h"

namespace toccata {

// The algorithm for a collective of p ranks that share the memory of a node and have one core each:
// a fixed rule, so that a program gets the same bits in every run. `bytes` as in Question. Nothing
// if the native algorithm is as fast or faster.
std::optional<Choice> node_rule(const Collective& collective, int p, std::int64_t bytes);

}  // namespace toccata
