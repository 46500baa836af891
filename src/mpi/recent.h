#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace toccata {

// What a thread keeps of its last calls, found by a key. Two places for each value of the key's
// hash: a loop often alternates between two kinds of calls, and with one place each of them would
// remove the other.
template <typename Entry>
class Recent {
 public:
  // The entry for which `fits` holds among those that the key may have; null for none.
  template <typename Fits>
  Entry* find(std::uint64_t key, Fits&& fits) {
    Set& set = of(key);
    for (Entry& entry : set.entries)
      if (fits(entry)) return &entry;
    return nullptr;
  }

  // The older entry of the two, for other contents.
  Entry& replace(std::uint64_t key) {
    Set& set = of(key);
    set.older = 1 - set.older;
    return set.entries[1 - set.older];
  }

 private:
  struct Set {
    std::array<Entry, 2> entries = {};
    std::size_t older = 0;
  };
  static constexpr int bits = 5;

  // A product, in which all low bits of the key affect the high ones.
  Set& of(std::uint64_t key) { return sets_[key * 0x9e3779b97f4a7c15 >> (64 - bits)]; }

  std::array<Set, 1 << bits> sets_ = {};
};

}  // namespace toccata
