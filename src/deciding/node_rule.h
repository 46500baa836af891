#pragma once

#include <cstdint>
#include <optional>

#include "selection/choice.h"

namespace toccata {

// The algorithm for a collective of p ranks that share the memory of a node: a fixed rule, so that
// a program gets the same bits in every run. `bytes` as in Question; `crowded` if there are more
// ranks than cores. Nothing if the native algorithm is as fast or faster.
std::optional<Choice> node_rule(const Collective& collective, int p, bool crowded,
                                std::int64_t bytes);

// Whether the rule applies from the first call on. Short messages are served after the first calls:
// a communicator with few short calls would gain less than making its board costs.
bool node_rule_holds_at_once(bool crowded, std::int64_t bytes);

}  // namespace toccata
