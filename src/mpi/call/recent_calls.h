#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace toccata {

// Data about a thread's last calls, found by a key. Each value of the key's hash has four places. A
// loop often alternates between several kinds of calls, or communicators; with one place, each
// could remove the other.
template <typename Entry>
class RecentCalls {
 public:
  // The entry of this key for which `fits` is true; null if there is none.
  template <typename Fits>
  Entry* find(std::uint64_t key, Fits&& fits) {
    Set& set = of(key);
    for (std::size_t i = 0; i < places; ++i)
      if (set.keys[i] == key && fits(set.entries[i])) return &set.entries[i];
    return nullptr;
  }

  // Removes an entry that find() returned.
  void forget(std::uint64_t key, const Entry* entry) {
    Set& set = of(key);
    set.keys[entry - set.entries.data()] = 0;
  }

  // The oldest entry with the key's hash, for this key; the caller overwrites it.
  Entry& replace(std::uint64_t key) {
    Set& set = of(key);
    const std::size_t oldest = set.oldest;
    set.oldest = (oldest + 1) % places;
    set.keys[oldest] = key;
    return set.entries[oldest];
  }

 private:
  static constexpr std::size_t places = 4;
  static constexpr int bits = 5;
  struct Set {
    std::array<std::uint64_t, places> keys = {};  // together, because most of them are others
    std::size_t oldest = 0;
    std::array<Entry, places> entries = {};
  };

  // A product, in which all low bits of the key affect the high ones.
  Set& of(std::uint64_t key) { return sets_[key * 0x9e3779b97f4a7c15 >> (64 - bits)]; }

  std::array<Set, 1 << bits> sets_ = {};
};

}  // namespace toccata
