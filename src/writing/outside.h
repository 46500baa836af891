#pragma once

#include <memory>
#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// Algorithms that are not part of the library: their schedules come from a file ("file:mine.json")
// or from a Python function ("mine.py:ring"). They run only if a user names them.

// A copy of `text` that lives as long as the program.
std::string_view interned(std::string_view text);

// Registers an algorithm under its name. It lives as long as the program, because choices point to
// it. A later algorithm with the same name replaces it for new choices. Its texts must be interned.
const Algorithm& add_outside(Algorithm algorithm, std::unique_ptr<const Outside> schedules);

// The algorithm whose name is `text`, or the beginning of `text` before a ':'
// ("mine.py:ring:segment=4"); null if there is none.
const Algorithm* find_outside(std::string_view text);

}  // namespace toccata
