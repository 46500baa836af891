#pragma once

#include <cstdint>
#include <optional>

#include "choices/choice.h"
#include "choices/form.h"
#include "choices/rule_table.h"

namespace toccata {

// The properties of a node that all its ranks know from MPI_Init on.
struct NodeKind {
  bool crowded = false;              // more ranks than cores
  bool reads_directly = false;       // ranks can read each other's own memory (node/direct_reading)
  const RuleTable* rules = nullptr;  // of the MPI library; null for an unknown one
};

// The algorithm for a call of p ranks that share the memory of a node, from the first table with a
// row: the one of the MPI library, then the one for any. The rule is fixed, so that a program gets
// the same bits in every run. `bytes` as in Question. Nothing if the native algorithm is as fast or
// faster.
//
// A request costs a microsecond, so there, the rows of the request's form say from which size on
// the rule for blocking calls applies; other requests are native, or trials decide.
std::optional<Choice> node_rule(Form form, const Collective& collective, int p,
                                const NodeKind& node, std::int64_t bytes);

// Whether the rule applies from the first call on. Short messages are served after the first calls:
// a communicator with few short calls would gain less than making its board costs.
bool node_rule_holds_at_once(const NodeKind& node, std::int64_t bytes);

}  // namespace toccata
