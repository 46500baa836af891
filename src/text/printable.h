#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace toccata {

// A file's text as our messages can show it: ASCII, without control characters, and short.
inline std::string printable(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string result(text.substr(0, most));
  std::ranges::replace_if(
      result, [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return text.size() > most ? result + "..." : result;
}

}  // namespace toccata
