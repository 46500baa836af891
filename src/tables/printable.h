#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace toccata {

// What a file says, as a line of ours can show it: of ASCII, without control characters, and short.
inline std::string printable(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string result(text.substr(0, most));
  std::ranges::replace_if(
      result, [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return text.size() > most ? result + "..." : result;
}

}  // namespace toccata
