#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "node/board.h"

namespace toccata::test {

// A part for each rank, in memory that is zero, like memory from the operating system.
class Parts {
 public:
  explicit Parts(int ranks, std::uint32_t slot_bytes = node::Part::usual)
      : Parts(std::vector(ranks, slot_bytes)) {}
  // With the bytes of a slot of each rank.
  explicit Parts(const std::vector<std::uint32_t>& slot_bytes) {
    for (const std::uint32_t each : slot_bytes) {
      memory_.emplace_back(new (alignment) char[node::Part::bytes(each)]{});
      all.push_back(reinterpret_cast<node::Part*>(memory_.back().get()));
      all.back()->slot_bytes = each;
    }
  }

  std::vector<node::Part*> all;

 private:
  static constexpr std::align_val_t alignment{4096};
  struct Free {
    void operator()(char* memory) const { ::operator delete[](memory, alignment); }
  };
  std::vector<std::unique_ptr<char[], Free>> memory_;
};

}  // namespace toccata::test
