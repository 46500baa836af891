#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// Helpers to read lines of words. Pieces are views of the text.

// For messages of one line.
inline std::string quoted(std::string_view text) {
  std::string result = "'" + std::string(text) + "'";
  for (char& each : result)
    if (static_cast<unsigned char>(each) < ' ' || each == 127) each = '?';
  return result;
}

// Preferred to std::quoted.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }

// The pieces between separators: "a,,b" has three.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

// The words between blanks.
inline std::vector<std::string_view> split_words(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// The whole text as a number without a sign.
inline std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.front() == '-') return {};
  return number;
}

}  // namespace toccata
