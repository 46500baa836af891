#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace toccata {

// Memory for the pieces of a round: growing it moves nothing that is under way.
class Arena {
 public:
  char* take(std::int64_t bytes);
  // Forgets all that was taken. Keeps memory for the next round, but not without bound.
  void reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> memory;
    std::int64_t size, used;
  };
  std::vector<Chunk> chunks_;
};

}  // namespace toccata
