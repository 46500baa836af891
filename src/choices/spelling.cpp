#include "choices/spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace toccata {

namespace {

// Levenshtein's distance, row by row of the table of all prefixes.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i - 1] != other[j - 1] ? 1 : 0);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  const auto found = std::ranges::min_element(
      known, {}, [&](std::string_view each) { return distance(word, each); });
  if (found == known.end() || distance(word, *found) * 3 > found->size()) return "";
  return *found;
}

bool switches_off(std::string_view word) {
  return word == "0" || word == "no" || word == "off" || word == "false";
}

bool switches_on(std::string_view word) {
  return word == "1" || word == "yes" || word == "on" || word == "true";
}

bool fits(std::string_view value, std::string_view word) {
  if (switches_off(word)) return switches_off(value);
  if (word == "auto" || switches_on(word)) return value == word || switches_on(value);
  const std::size_t capitals = word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (capitals == std::string_view::npos) return value == word;
  return value.size() > capitals && value.starts_with(word.substr(0, capitals)) &&
         value.ends_with(word.substr(std::min(word.find('.', capitals), word.size())));
}

}  // namespace toccata
