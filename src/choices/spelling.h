#pragma once

#include <span>
#include <string_view>

namespace toccata {

// The word without blanks around it, and without Windows' line ends.
std::string_view trimmed(std::string_view text);

// The known word that needs the fewest inserted, deleted or changed letters to become `word`; "" if
// these are more than a third of its letters. The first of several equally near words.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// Whether a word means off, such as "no", or on, such as "1". All on/off settings use these
// functions.
bool switches_off(std::string_view word);
bool switches_on(std::string_view word);

// Whether `word`, one of the accepted values of a setting, stands for `value`. From a letter in
// capitals on, as in FILE.json or learn:FILE, it stands for any text up to the suffix; off and 0
// stand for all words that switch off, and auto, on and 1 for all that switch on.
bool fits(std::string_view value, std::string_view word);

}  // namespace toccata
