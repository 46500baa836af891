#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace toccata {

// Data about a thread's last calls, found by a key. Each value of the key's hash has two places. A
// loop often alternates between two kinds of calls; with one place, each could remove the other.
template <typename Entry>
class RecentCalls {
 public:
  // The entry of this key for which `fits` is true; null if there is none.
  template <typename Fits>
  Entry* find(std::uint64_t key, Fits&& fits) {
    Set& set = of(key);
    for (Entry& entry : set.entries)
      if (fits(entry)) return &entry;
    return nullptr;
  }

  // The older of the key's two entries; the caller overwrites it.
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
