#pragma once

#include <span>
#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// Whether an algorithm, as built, has passed the proof. Other algorithms, and those from outside,
// run only if a user names them: no model, rule, file or trial chooses them.
bool is_proved(const Algorithm& algorithm);

// The sorted paths of the proved algorithms in the registry. The build writes this list
// (packaging/prove.cpp).
std::span<const std::string_view> proved_paths();

inline constexpr std::string_view not_proved = "not proved, and runs by name only";

}  // namespace toccata
