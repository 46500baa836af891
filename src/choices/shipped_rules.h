#pragma once

#include <span>
#include <string_view>

#include "choices/rule_table.h"

namespace toccata {

// The files rules/*.rules, which the build copies into the library.
std::span<const RuleTable> shipped_rules();

// The file rules/NAME.rules; null if there is none.
const RuleTable* shipped_rules(std::string_view name);

// The rules that hold for every MPI library (rules/any.rules).
const RuleTable& rules_for_any_mpi();

}  // namespace toccata
