#pragma once

#include <span>
#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// Whether an algorithm, as it was built, has passed the proof. Others, and those from outside, are
// served only if somebody names them: no model, rule, file or trial chooses them.
bool is_proved(const Algorithm& algorithm);

// The paths of those in the registry that have, in order. The build writes it
// (packaging/prove.cpp).
std::span<const std::string_view> proved_paths();

inline constexpr std::string_view not_proved = "not proved: runs by name only";

}  // namespace toccata
