#pragma once

#include <memory>
#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// Algorithms that are not part of the library: their schedules come from a file ("file:mine.json")
// or from a Python function ("mine.py:ring"). Nothing chooses them unless somebody names them.

// A text that stays as long as the program.
std::string_view interned(std::string_view text);

// Makes an algorithm known by its name. It stays as long as the program, as choices point to it;
// another of the same name replaces it from then on. Its texts must be
// interned.
const Algorithm& add_outside(Algorithm algorithm, std::unique_ptr<const Outside> schedules);

// The one whose name `text` is or begins with, before a ':' ("mine.py:ring:segment=4"); null if
// there is none.
const Algorithm* find_outside(std::string_view text);

}  // namespace toccata
