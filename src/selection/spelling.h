#pragma once

#include <span>
#include <string_view>

namespace toccata {

// Without the blanks around it, and what ends lines on Windows.
std::string_view trimmed(std::string_view text);

// The one of `known` that takes the fewest letters put in, left out or changed to become `word`;
// "" where that are more than a third of its own. The first of several that are as near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// Whether a word switches something off, or on, as "no" and "1" do. All settings that can be
// switched go by these two.
bool switches_off(std::string_view word);
bool switches_on(std::string_view word);

}  // namespace toccata
