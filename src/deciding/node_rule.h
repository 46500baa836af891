#pragma once

#include <cstdint>
#include <optional>

#include "selection/choice.h"
#include "selection/mpi_libraries.h"

namespace toccata {

// The properties of a node that all its ranks know from MPI_Init on.
struct NodeKind {
  bool crowded = false;         // more ranks than cores
  bool reads_directly = false;  // ranks can read each other's own memory (node/direct_reading)
  NativeMpi native = NativeMpi::open_mpi;
};

// The algorithm for a collective of p ranks that share the memory of a node. The rule is fixed, so
// that a program gets the same bits in every run. `bytes` as in Question. Nothing if the native
// algorithm is as fast or faster.
std::optional<Choice> node_rule(const Collective& collective, int p, const NodeKind& node,
                                std::int64_t bytes);

// Whether the rule applies from the first call on. Short messages are served after the first calls:
// a communicator with few short calls would gain less than making its board costs.
bool node_rule_holds_at_once(const NodeKind& node, std::int64_t bytes);

}  // namespace toccata
