#pragma once

#include <cstdint>
#include <optional>

#include "deciding/node_rule.h"
#include "deciding/ranks.h"

namespace toccata {

// The same as node_rule() for nonblocking and persistent calls. A request costs a microsecond, so
// the rule serves fewer short ones.
std::optional<Choice> request_rule(Form form, const Collective& collective, int p,
                                   const NodeKind& node, std::int64_t bytes);

}  // namespace toccata
