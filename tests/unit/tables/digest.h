#pragma once

#include <string>

#include "tables/schedule_file.h"

namespace toccata::test {

// Replaces the digest of a text of schedules by the correct one, so that the reader accepts it.
inline std::string with_right_digest(std::string text) {
  constexpr std::size_t first = 36, digits = 16;  // of the digest in line 1
  if (text.size() < first + digits) return text;
  try {
    schedule_file::digest_of(text, "file");
  } catch (const schedule_file::Error& error) {
    const std::string said = error.what(), before = "its digest is ";
    const auto at = said.find(before);
    if (at != std::string::npos)
      text.replace(first, digits, said.substr(at + before.size(), digits));
  }
  return text;
}

}  // namespace toccata::test
