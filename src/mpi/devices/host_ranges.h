#pragma once

#include <cstdint>

namespace toccata {

// Parts of this process's address space that never belong to a device, so that they need no query
// of a runtime: the heap below the program break, the stack of the main thread, and the static data
// of the program. CUDA's driver takes 0.5 us per query, longer than a collective of 8 bytes on one
// node.
class HostRanges {
 public:
  // Reads /proc/self/maps. Without that file, all parts are empty.
  static HostRanges find();

  bool contain(const void* address) const;

 private:
  struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool contains(std::uintptr_t at) const { return at >= begin && at < end; }
  };

  std::uintptr_t heap_ = 0;       // its begin; 0: unknown
  std::uintptr_t stack_end_ = 0;  // 0: unknown
  Range data_;
};

}  // namespace toccata
