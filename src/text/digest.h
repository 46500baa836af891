#pragma once

#include <cstdint>
#include <string_view>

namespace toccata {

// FNV-1a of words instead of bytes. The hash is shifted, because a change in the highest bits would
// otherwise stay there. Files of schedules contain such digests, so they are the same everywhere.
class Digest {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3u;
    value_ ^= value_ >> 32;
  }
  // Eight bytes at a time (little-endian), and the number of bytes.
  void add(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < 8 && at + i < text.size(); ++i)
        word |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
      add(word);
    }
    add(text.size());
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

inline std::uint64_t digest(std::string_view text) {
  Digest result;
  result.add(text);
  return result.value();
}

}  // namespace toccata
